import { describe, expect, test } from "vitest";
import type { FakeAnswer } from "../../test/harness/fake-transport.ts";
import { FakeTransport } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { type ApiSurface, preferredResources, presenceOf } from "./discovery-documents.ts";
import { Discovery, type DiscoveryStore } from "./discovery.ts";
import { unlimited } from "./limiter.ts";
import { RestMapper } from "./rest-mapper.ts";
import { RestMetrics } from "./rest-metrics.ts";
import { RestClient } from "./rest.ts";
import { WarningLog } from "./warnings.ts";

type Documents = Readonly<Record<string, FakeAnswer>>;

function discover(
  documents: () => Documents,
  store?: DiscoveryStore,
): { transport: FakeTransport; discovery: Discovery } {
  const transport = new FakeTransport(({ path }) => documents()[path] ?? { status: 404, body: "absent" });
  const rest = new RestClient({
    transport,
    clock: new VirtualClock(),
    limiter: unlimited,
    metrics: new RestMetrics(noMetrics, "host"),
    warnings: new WarningLog(silentLogger),
    userAgent: "test",
  });
  return { transport, discovery: new Discovery(rest, store) };
}

const verbs = ["get", "list"];
const aggregated: Documents = {
  "/api": {
    body: {
      kind: "APIGroupDiscoveryList",
      items: [
        {
          versions: [
            {
              version: "v1",
              freshness: "Current",
              resources: [
                {
                  resource: "pods",
                  responseKind: { group: "", version: "v1", kind: "Pod" },
                  scope: "Namespaced",
                  verbs,
                  shortNames: ["po"],
                  categories: ["all"],
                  subresources: [{ subresource: "status" }, { subresource: "eviction" }],
                },
                { resource: "nodes", responseKind: { kind: "Node" }, scope: "Cluster", verbs },
                { resource: "bare", scope: "Namespaced", subresources: [{ subresource: "x" }] },
              ],
            },
          ],
        },
      ],
    },
  },
  "/apis": {
    body: {
      kind: "APIGroupDiscoveryList",
      items: [
        {
          metadata: { name: "apps" },
          versions: [
            {
              version: "v1",
              resources: [
                { resource: "deployments", responseKind: { kind: "Deployment" }, scope: "Namespaced", verbs },
              ],
            },
            {
              version: "v1beta1",
              resources: [
                { resource: "deployments", responseKind: { kind: "Deployment" }, scope: "Namespaced", verbs },
                { resource: "old", responseKind: { kind: "Old" }, scope: "Namespaced", verbs },
              ],
            },
          ],
        },
        {
          metadata: { name: "metrics.k8s.io" },
          versions: [{ version: "v1", freshness: "Stale", resources: [] }],
        },
      ],
    },
  },
};

const legacy: Documents = {
  "/api": { body: { kind: "APIVersions", versions: ["v1"] } },
  "/api/v1": {
    body: {
      kind: "APIResourceList",
      resources: [
        { name: "pods", kind: "Pod", namespaced: true, verbs, shortNames: ["po"], categories: ["all"] },
        { name: "pods/status", kind: "Pod", namespaced: true, verbs: ["get"] },
        { name: "pods/eviction", kind: "Eviction", namespaced: true, verbs: ["create"] },
        { name: "nodes", kind: "Node", namespaced: false, verbs },
      ],
    },
  },
  "/apis": {
    body: {
      kind: "APIGroupList",
      groups: [
        {
          name: "apps",
          versions: [{ version: "v1beta1" }, { version: "v1" }],
          preferredVersion: { version: "v1" },
        },
        { name: "metrics.k8s.io", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
      ],
    },
  },
  "/apis/apps/v1": {
    body: {
      kind: "APIResourceList",
      resources: [{ name: "deployments", kind: "Deployment", namespaced: true, verbs }],
    },
  },
  "/apis/apps/v1beta1": {
    body: {
      kind: "APIResourceList",
      resources: [
        { name: "deployments", kind: "Deployment", namespaced: true, verbs },
        { name: "old", kind: "Old", namespaced: true, verbs },
      ],
    },
  },
  "/apis/metrics.k8s.io/v1": { status: 503, body: "no backend" },
};

describe.each([
  ["aggregated", aggregated, 2],
  ["legacy", legacy, 6],
])("%s discovery", (_, documents, requests) => {
  test("finds groups, resources and subresources, and reports the group that fails", async () => {
    const { discovery } = discover(() => documents);
    const { groups, resources, failures } = await discovery.surface();
    expect(groups).toEqual([
      { name: "", versions: ["v1"] },
      { name: "apps", versions: ["v1", "v1beta1"] },
      { name: "metrics.k8s.io", versions: ["v1"] },
    ]);
    expect(resources.map(({ group, version, plural }) => `${group}/${version}/${plural}`)).toEqual([
      "/v1/pods",
      "/v1/nodes",
      "apps/v1/deployments",
      "apps/v1beta1/deployments",
      "apps/v1beta1/old",
    ]);
    expect(resources[0]).toEqual({
      group: "",
      version: "v1",
      plural: "pods",
      kind: "Pod",
      namespaced: true,
      verbs,
      subresources: ["status", "eviction"],
      shortNames: ["po"],
      categories: ["all"],
    });
    expect(resources[1]?.namespaced).toBe(false);
    expect([...failures.keys()]).toEqual(["metrics.k8s.io/v1"]);
  });

  test("prefers the group's preferred version, and any version over none", async () => {
    const { discovery } = discover(() => documents);
    const preferred = preferredResources(await discovery.surface());
    expect(preferred.map(({ version, plural }) => `${version}/${plural}`)).toEqual([
      "v1/pods",
      "v1/nodes",
      "v1/deployments",
      "v1beta1/old",
    ]);
  });

  test("asks once, for however many, and again after invalidation", async () => {
    const { discovery, transport } = discover(() => documents);
    await Promise.all([discovery.surface(), discovery.surface()]);
    await discovery.surface();
    expect(transport.requests).toHaveLength(requests);
    discovery.invalidate();
    await discovery.surface();
    expect(transport.requests).toHaveLength(2 * requests);
  });

  test("maps kinds to resources and back; a failed group is not an unknown kind", async () => {
    const mapper = new RestMapper(discover(() => documents).discovery);
    expect(await mapper.resourceOf("apps/v1", "Deployment")).toMatchObject({ plural: "deployments" });
    expect(await mapper.kindOf("v1", "pods")).toBe("Pod");
    expect(await mapper.resourceOf("v1", "Gone")).toBeUndefined();
    await expect(mapper.resourceOf("metrics.k8s.io/v1", "NodeMetrics")).rejects.toThrow();
  });
});

describe.each(["/api", "/apis"])("%s", (root) => {
  test.each<[string, FakeAnswer]>([
    ["forbidden", { status: 403, body: "no" }],
    ["absent", { status: 404, body: "absent" }],
    ["broken", { status: 500, body: "broken" }],
    ["a refusal with code 200", { body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 403 } }],
    ["another document", { body: {} }],
  ])("%s is not empty: it is an error, and not remembered", async (_, answer) => {
    let documents: Documents = { ...aggregated, [root]: answer };
    const { discovery } = discover(() => documents);
    await expect(discovery.surface()).rejects.toThrow();
    documents = aggregated;
    expect((await discovery.surface()).resources).toHaveLength(5);
  });
});

test.each<[string, Documents]>([
  ["aggregated", aggregated],
  ["legacy", { ...legacy, "/apis/metrics.k8s.io/v1": { status: 403, body: "no" } }],
  ["legacy, answered with something else", { ...legacy, "/apis/metrics.k8s.io/v1": { body: {} } }],
])("what a group did not tell of is unknown, not absent: %s", async (_, documents) => {
  const surface = await discover(() => documents).discovery.surface();
  const presence = (group: string, plural: string): string => presenceOf(surface, { group, plural });
  expect(presence("apps", "old")).toBe("offered");
  expect(presence("apps", "gone")).toBe("absent");
  expect(presence("metrics.k8s.io", "nodes")).toBe("unknown");
});

test("the abort of one who waits does not disturb the others", async () => {
  const { discovery } = discover(() => aggregated);
  const abort = new AbortController();
  const aborted = expect(discovery.surface(abort.signal)).rejects.toThrow("stop");
  const other = discovery.surface();
  abort.abort(new Error("stop"));
  await aborted;
  expect((await other).resources).toHaveLength(5);
});

test("who has given up before waits for nobody", async () => {
  const { discovery } = discover(() => aggregated);
  await expect(discovery.surface(AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
});

test("after a reset the mapper sees new kinds", async () => {
  let documents = legacy;
  const mapper = new RestMapper(discover(() => documents).discovery);
  expect(await mapper.resourceOf("v1", "Pod")).toBeDefined();
  documents = aggregated;
  expect(await mapper.resourceOf("v1", "Pod")).toBeDefined();
  documents = { ...legacy, "/api/v1": { body: { kind: "APIResourceList", resources: [] } } };
  expect(await mapper.resourceOf("v1", "Pod")).toBeDefined();
  mapper.reset();
  expect(await mapper.resourceOf("v1", "Pod")).toBeUndefined();
});

test("while discovery fails the mapper knows what it knew, and says of nothing else that it is not there", async () => {
  let documents = aggregated;
  const mapper = new RestMapper(discover(() => documents).discovery);
  expect(await mapper.resourceOf("v1", "Pod")).toBeDefined();
  mapper.reset();
  documents = { "/api": { status: 500, body: "broken" } };
  expect(await mapper.resourceOf("v1", "Pod")).toBeDefined();
  await expect(mapper.resourceOf("v1", "Gone")).rejects.toMatchObject({ code: 500 });
  documents = aggregated;
  expect(await mapper.resourceOf("v1", "Gone")).toBeUndefined();
});

describe("what is kept beyond the process", () => {
  const store = (): DiscoveryStore & { kept: ApiSurface | undefined; reads: number } => ({
    kept: undefined,
    reads: 0,
    async read() {
      this.reads++;
      return this.kept;
    },
    async write(surface) {
      this.kept = surface;
    },
  });

  test("is asked for once, and the next process asks for nothing", async () => {
    const disk = store();
    const first = discover(() => legacy, disk);
    await Promise.all([first.discovery.surface(), first.discovery.surface()]);
    expect([disk.reads, disk.kept?.resources.length, first.discovery.isLive]).toEqual([1, 5, true]);
    const second = discover(() => legacy, disk);
    expect(await second.discovery.surface()).toBe(disk.kept);
    expect([second.transport.requests, second.discovery.isLive]).toEqual([[], false]);
  });

  test("is not believed after invalidation, and then replaced", async () => {
    const disk = store();
    await discover(() => legacy, disk).discovery.surface();
    const { discovery } = discover(() => aggregated, disk);
    await discovery.surface();
    discovery.invalidate();
    const { groups } = await discovery.surface();
    expect([disk.kept?.groups, disk.reads, discovery.isLive]).toEqual([groups, 2, true]);
  });

  test("is asked about kinds that it has; of others the server is asked, and once", async () => {
    const disk = store();
    const surface = await discover(() => legacy).discovery.surface();
    disk.kept = { ...surface, resources: surface.resources.filter(({ plural }) => plural !== "nodes") };
    const { discovery, transport } = discover(() => aggregated, disk);
    const mapper = new RestMapper(discovery);
    expect(await mapper.resourceOf("v1", "Pod")).toBeDefined();
    expect(transport.requests).toEqual([]);
    expect(await mapper.kindOf("v1", "nodes")).toBe("Node");
    expect(transport.requests).toHaveLength(2);
    expect(await mapper.resourceOf("v1", "Gone")).toBeUndefined();
    expect(transport.requests).toHaveLength(2);
  });

  test("that lacks a kind does not prove its absence while the server cannot be asked", async () => {
    const disk = store();
    disk.kept = { groups: [], resources: [], failures: new Map() };
    const mapper = new RestMapper(
      discover(() => ({ "/api": { status: 500, body: "broken" } }), disk).discovery,
    );
    await expect(mapper.resourceOf("v1", "Pod")).rejects.toMatchObject({ code: 500 });
  });
});
