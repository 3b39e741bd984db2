import { beforeEach, describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { Json } from "../../pkg/api/json.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { isUnreachable } from "../../pkg/client/errors.ts";
import { TransportError } from "../../pkg/client/transport.ts";
import { fakeClients } from "../../test/harness/fake-clients.ts";
import { type FakeAnswer, FakeTransport } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { type PodMetrics, usageOfContainers, usageOfPods, valueOf, valuesOfObjects } from "./pod-metrics.ts";
import { MetricsApis, MetricsError } from "./sync-fetch.ts";

const { signal } = new AbortController();
const TIME = "2026-11-19T08:00:00Z";
const TIME_MS = Date.parse(TIME);

let clock: VirtualClock;
let transport: FakeTransport;
let apis: MetricsApis;
/** By path; what is not here is not found, in words that no Status is made of. */
let answers: Map<string, FakeAnswer>;

beforeEach(() => {
  clock = new VirtualClock();
  answers = new Map([["/apis/custom.metrics.k8s.io", { body: customGroup("v1beta2") }]]);
  transport = new FakeTransport(
    ({ path }) => answers.get(path) ?? { status: 404, body: "404 page not found" },
  );
  const client = fakeClients(transport, clock).client("test");
  const kinds = {
    find: async ({ group, kind }: { group: string; kind: string }) => KINDS[`${group}/${kind}`],
  };
  apis = new MetricsApis({ client, kinds, clock, versionPeriodMs: 15_000 });
});

const KINDS: Readonly<Record<string, ApiResource>> = {
  "apps/Deployment": kindOf("apps", "deployments", "Deployment"),
  "/Service": kindOf("", "services", "Service"),
};

function kindOf(group: string, plural: string, kind: string): ApiResource {
  const facts = { verbs: [], subresources: [], shortNames: [], categories: [] };
  return { group, version: "v1", plural, kind, namespaced: true, ...facts };
}

function customGroup(...versions: string[]): Json {
  return {
    kind: "APIGroup",
    name: "custom.metrics.k8s.io",
    versions: versions.map((version) => ({ version })),
    preferredVersion: { version: versions[0] },
  };
}

function answer(path: string, ...items: Json[]): void {
  answers.set(path, { body: { kind: "List", items } });
}

const USAGE = "/apis/metrics.k8s.io/v1beta1/namespaces/team/pods";
const CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/team";
const EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1/namespaces/team/queue";

/** Of each pod, what its containers use, in thousandths of a core. */
function answerUsage(...pods: Readonly<Record<string, number>>[]): void {
  answer(
    USAGE,
    ...pods.map((containers, index) => ({
      metadata: { name: `test-pod-${index}`, namespace: "team" },
      timestamp: TIME,
      window: "30s",
      containers: Object.entries(containers).map(([name, milli]) => ({
        name,
        usage: { cpu: `${milli}m`, memory: "1Mi" },
      })),
    })),
  );
}

function plain(metrics: PodMetrics): Readonly<Record<string, number>> {
  return Object.fromEntries([...metrics].map(([name, { value }]) => [name, Number(value)]));
}

// upstream: pkg/controller/podautoscaler/metrics/client_test.go
describe("what pods use", () => {
  test.each<
    [string, Readonly<Record<string, number>>[], string | undefined, Readonly<Record<string, number>>]
  >([
    [
      "is that of all containers",
      [{ test: 5000 }, { test: 5000 }],
      undefined,
      { "test-pod-0": 5000, "test-pod-1": 5000 },
    ],
    ["of one container is its own", [{ "test-1": 5000, "test-2": 500 }], "test-1", { "test-pod-0": 5000 }],
    [
      "is not known of a pod without containers",
      [{ "test-1": 100 }, { "test-1": 300, "test-2": 400 }, {}],
      undefined,
      { "test-pod-0": 100, "test-pod-1": 700 },
    ],
    [
      "of a container is not known of a pod without it",
      [{ "test-1": 100 }, { "test-1": 300, "test-2": 400 }, {}],
      "test-2",
      { "test-pod-1": 400 },
    ],
  ])("%s", async (_, pods, container, expected) => {
    answerUsage(...pods);
    const list = await apis.usage("team", "app=web", signal);
    const metrics =
      container === undefined
        ? inOneGo(usageOfPods(list, "cpu"))
        : inOneGo(usageOfContainers(list, "cpu", container));
    expect(plain(metrics)).toEqual(expected);
    for (const { timeMs, windowMs } of metrics.values())
      expect([timeMs, windowMs]).toEqual([TIME_MS, 30_000]);
    expect(transport.lines).toEqual([`GET ${USAGE}?labelSelector=app=web`]);
  });

  test("of which one container does not say is not known", async () => {
    answer(USAGE, {
      metadata: { name: "a" },
      containers: [
        { name: "one", usage: { cpu: "1" } },
        { name: "two", usage: { memory: "1Mi" } },
      ],
    });
    expect(inOneGo(usageOfPods(await apis.usage("team", "", signal), "cpu")).size).toBe(0);
  });

  test("is not known when there is nothing in the list", async () => {
    answer(USAGE);
    await expect(apis.usage("team", "", signal)).rejects.toThrow(
      "no metrics returned from resource metrics API",
    );
  });
});

describe("a custom metric", () => {
  const query = { namespace: "team", metric: "qps", metricSelector: undefined };

  test.each([
    ["of pods", [10_000, 20_000, 10_000]],
    ["of pods, with nothing to do", [0, 0, 0]],
  ])("%s", async (_, levels) => {
    const values = levels.map((level, index) => ({
      describedObject: { name: `test-pod-${index}` },
      timestamp: TIME,
      value: `${level}m`,
    }));
    answer(`${CUSTOM}/pods/*/qps`, ...values);
    const metrics = inOneGo(valuesOfObjects(await apis.ofPods(query, "app=web", signal)));
    expect([...metrics.values()].map(({ value }) => Number(value))).toEqual(levels);
    for (const { timeMs, windowMs } of metrics.values())
      expect([timeMs, windowMs]).toEqual([TIME_MS, 60_000]);
  });

  test("says over which time it was measured", async () => {
    answer(`${CUSTOM}/pods/*/qps`, { describedObject: { name: "a" }, windowSeconds: 10, value: "1" });
    const metrics = inOneGo(valuesOfObjects(await apis.ofPods(query, "", signal)));
    expect(metrics.get("a")?.windowMs).toBe(10_000);
  });

  test("of one object", async () => {
    answer(`${CUSTOM}/deployments.apps/some-dep/qps`, { value: "10m" });
    const object = { apiVersion: "apps/v1", kind: "Deployment", name: "some-dep" };
    expect(valueOf(await apis.ofObject(query, object, signal))).toBe(10n);
  });

  test("of the namespace, whatever name it is given", async () => {
    answer(`${CUSTOM}/metrics/qps`, { value: "10m" });
    const object = { apiVersion: "v1", kind: "Namespace", name: "other" };
    expect(valueOf(await apis.ofObject(query, object, signal))).toBe(10n);
  });

  test("is asked for with both selectors", async () => {
    answer(`${CUSTOM}/pods/*/qps`, { describedObject: { name: "a" }, value: "1" });
    const metricSelector = { matchLabels: { verb: "GET" } };
    await apis.ofPods({ ...query, metricSelector }, "app=web", signal);
    expect(transport.lines.at(-1)).toBe(
      `GET ${CUSTOM}/pods/*/qps?labelSelector=app=web&metricLabelSelector=verb=GET`,
    );
  });

  test.each([
    [["v1beta1"], "v1beta1"],
    [["v9", "v1beta1"], "v1beta1"],
    [["v1beta1", "v1beta2"], "v1beta1"],
  ])("of the versions %j %s is asked for", async (versions, expected) => {
    answers.set("/apis/custom.metrics.k8s.io", { body: customGroup(...versions) });
    answer(`${CUSTOM.replace("v1beta2", expected)}/pods/*/qps`, {
      describedObject: { name: "a" },
      value: "1",
    });
    expect(await apis.ofPods(query, "", signal)).toHaveLength(1);
  });

  test("of which the version was asked for is asked for again after a while", async () => {
    answer(`${CUSTOM}/pods/*/qps`, { describedObject: { name: "a" }, value: "1" });
    for (const afterMs of [0, 14_000, 1_000]) {
      await clock.advanceBy(afterMs);
      await apis.ofPods(query, "", signal);
    }
    const asked = transport.lines.filter((line) => line === "GET /apis/custom.metrics.k8s.io");
    expect(asked).toHaveLength(2);
  });

  const before = "unable to fetch metrics from custom metrics API: ";

  test.each<[string, () => Promise<unknown>, string]>([
    [
      "without values",
      async () => apis.ofPods(query, "", signal),
      "no metrics returned from custom metrics API",
    ],
    [
      "without one value",
      async () => apis.ofObject(query, { kind: "Service", name: "none", apiVersion: "v1" }, signal),
      `${before}the custom metrics API server returned 0 results when we asked for exactly one`,
    ],
    [
      "that the server does not have",
      async () => apis.ofObject(query, { kind: "Service", name: "other", apiVersion: "v1" }, signal),
      `${before}the server could not find the requested resource (get services.custom.metrics.k8s.io other)`,
    ],
    [
      "of an unknown kind",
      async () => apis.ofObject(query, { kind: "Thing", name: "a", apiVersion: "x.io/v1" }, signal),
      `${before}unable to map kind Thing.x.io to resource: no matches for kind "Thing" in group "x.io"`,
    ],
  ])("%s cannot be had", async (_, fetch, message) => {
    answer(`${CUSTOM}/pods/*/qps`);
    answer(`${CUSTOM}/services/none/qps`);
    await expect(fetch()).rejects.toThrow(new MetricsError(message));
  });

  test.each([
    [undefined, "no custom metrics API (custom.metrics.k8s.io) registered"],
    [customGroup("v9"), "no known available metric versions found"],
  ])("cannot be had where the group is %j", async (group, message) => {
    if (group === undefined) answers.delete("/apis/custom.metrics.k8s.io");
    else answers.set("/apis/custom.metrics.k8s.io", { body: group });
    await expect(apis.ofPods(query, "", signal)).rejects.toThrow(new MetricsError(before + message));
  });
});

describe("an external metric", () => {
  const selector = { matchLabels: { queue: "a" } };

  test.each([[[10_000, 20_000, 10_000]], [[0, 0, 0]]])("has the values %j", async (levels) => {
    answer(EXTERNAL, ...levels.map((level) => ({ value: `${level}m`, timestamp: TIME })));
    const values = await apis.external("team", "queue", selector, signal);
    expect(values.map((value) => Number(valueOf(value)))).toEqual(levels);
    expect(transport.lines).toEqual([`GET ${EXTERNAL}?labelSelector=queue=a`]);
  });

  test("without values cannot be had", async () => {
    answer(EXTERNAL);
    await expect(apis.external("team", "queue", undefined, signal)).rejects.toThrow(
      new MetricsError("no metrics returned from external metrics API"),
    );
  });

  test("that is refused keeps the server's words", async () => {
    const body = { kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: "not you" };
    answers.set(EXTERNAL, { status: 403, body });
    await expect(apis.external("team", "queue", undefined, signal)).rejects.toThrow(
      new MetricsError("unable to fetch metrics from external metrics API: not you"),
    );
  });
});

describe("is no fault of a metric", () => {
  test("that the server is away", async () => {
    const away = fakeClients(
      new FakeTransport(() => {
        throw new TransportError("refused", "nobody listens", false);
      }),
      clock,
    ).client("test");
    const kinds = { find: async () => undefined };
    const asked = new MetricsApis({ client: away, kinds, clock, versionPeriodMs: 1 });
    for (const fetch of [
      async () => asked.usage("team", "", signal),
      async () => asked.ofPods({ namespace: "team", metric: "a", metricSelector: undefined }, "", signal),
    ]) {
      const error: unknown = await fetch().catch((failure: unknown) => failure);
      expect(error).not.toBeInstanceOf(MetricsError);
      expect(isUnreachable(error)).toBe(true);
    }
  });

  test("that the sync is over", async () => {
    const over = new AbortController();
    over.abort(new Error("over"));
    await expect(apis.usage("team", "", over.signal)).rejects.toThrow(new Error("over"));
  });
});
