import fc from "fast-check";
import { expect, test } from "vitest";
import { type Int64, toInt64 } from "../../../pkg/api/int64.ts";
import { type ApiClient, describeApi } from "./api-client.ts";

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);
const LONG = 9007199254740993n;
/** Each run is some requests to an API server. */
const RUNS = 15;

const int64 = fc.oneof(
  fc.constantFrom(MAX, MIN, LONG, -LONG, 2n ** 53n, 2n ** 53n - 1n),
  fc.bigInt({ min: MIN, max: MAX }),
);
/** The server takes no grace period below 0 and leaves none at 0. */
const grace = int64.map((value) => (value < 1n ? 1n : value));

function template(spec: object = {}): object {
  return {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  };
}

function replicaSet(spec: object = {}): object {
  return {
    metadata: { name: "a" },
    spec: { replicas: 0, selector: { matchLabels: { app: "a" } }, template: template(spec) },
  };
}

function numbersOf(object: unknown): readonly unknown[] {
  const { spec } = object as { readonly spec: { readonly template: { readonly spec: PodNumbers } } };
  const { terminationGracePeriodSeconds, tolerations = [] } = spec.template.spec;
  return [terminationGracePeriodSeconds, ...tolerations.map(({ tolerationSeconds }) => tolerationSeconds)];
}

interface PodNumbers {
  readonly terminationGracePeriodSeconds?: Int64;
  readonly tolerations?: readonly { readonly tolerationSeconds: Int64 }[];
}

function tolerating(seconds: bigint): object {
  return { key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: toInt64(seconds) };
}

async function sets(api: ApiClient): Promise<string> {
  return `/apis/apps/v1/namespaces/${await api.namespace()}/replicasets`;
}

describeApi("numbers of 64 bits", (api) => {
  test("are the same in all that is written and read", async () => {
    const path = await sets(api());
    const apply = { apiVersion: "apps/v1", kind: "ReplicaSet" };
    await fc.assert(
      fc.asyncProperty(grace, int64, grace, grace, async (first, seconds, second, third) => {
        const made = await api().send(
          "POST",
          path,
          replicaSet({ terminationGracePeriodSeconds: toInt64(first), tolerations: [tolerating(seconds)] }),
        );
        const expected = [first, seconds].map(toInt64);
        expect(numbersOf(made.body)).toEqual(expected);
        expect(numbersOf((await api().get(`${path}/a`)).body)).toEqual(expected);
        expect((await api().get(path)).body.items.map(numbersOf)).toEqual([expected]);
        expect((await api().watch(`${path}?watch=1`, 1)).map(({ object }) => numbersOf(object))).toEqual([
          expected,
        ]);

        const change = { spec: { template: { spec: { terminationGracePeriodSeconds: toInt64(second) } } } };
        for (const type of ["merge", "strategic"] as const) {
          const patched = await api().patch(`${path}/a`, type, change);
          expect(numbersOf(patched.body)).toEqual([second, seconds].map(toInt64));
        }
        const at = "/spec/template/spec/terminationGracePeriodSeconds";
        const patched = await api().patch(`${path}/a`, "json", [
          { op: "test", path: at, value: toInt64(second) },
          { op: "replace", path: at, value: toInt64(third) },
        ]);
        expect(numbersOf(patched.body)).toEqual([third, seconds].map(toInt64));
        const wanted = replicaSet({ terminationGracePeriodSeconds: toInt64(first) });
        const applied = await api().apply(`${path}/a`, "somebody", { ...apply, ...wanted }, true);
        expect(numbersOf(applied.body)).toEqual(expected);
        await api().send("DELETE", `${path}/a`, { propagationPolicy: "Background" });
      }),
      { numRuns: RUNS },
    );
  });

  test("are compared as what they are", async () => {
    const path = await sets(api());
    await api().send("POST", path, replicaSet({ terminationGracePeriodSeconds: LONG }));
    const at = "/spec/template/spec/terminationGracePeriodSeconds";
    const other = await api().patch(`${path}/a`, "json", [
      { op: "test", path: at, value: LONG - 1n },
      { op: "replace", path: at, value: 1 },
    ]);
    expect(other.status).toBe(422);
    const next = await api().patch(`${path}/a`, "merge", {
      spec: { template: { spec: { terminationGracePeriodSeconds: LONG - 1n } } },
    });
    expect(next.body.metadata.generation).toBe(2);
    const same = await api().patch(`${path}/a`, "merge", {
      spec: { template: { spec: { terminationGracePeriodSeconds: LONG - 1n } } },
    });
    expect(same.body.metadata.generation).toBe(2);
  });

  const probe = (port: Int64 | string): object => ({
    containers: [{ name: "c", image: "i", livenessProbe: { tcpSocket: { port } } }],
  });
  test.each<[string, object, string, string]>([
    ["above 64 bits", { terminationGracePeriodSeconds: MAX + 1n }, `${MAX + 1n}`, "int64"],
    ["a fraction", { terminationGracePeriodSeconds: 1.5 }, "1.5", "int64"],
    ["a port above 32 bits", probe(2 ** 31), "2147483648", "int32"],
    ["a port below 32 bits", probe(-(2 ** 31) - 1), "-2147483649", "int32"],
    ["a port far above 32 bits", probe(LONG), `${LONG}`, "int32"],
  ])("are refused where they do not fit: %s", async (_, spec, shown, type) => {
    const { status, body } = await api().send("POST", await sets(api()), replicaSet(spec));
    expect(status).toBe(400);
    expect(body.message).toMatch(
      new RegExp(`json: cannot unmarshal number ${shown} into Go struct field [A-Za-z.]+ of type ${type}$`),
    );
  });

  test.each(["1.0", "1e2", "-0.0", "1.50", "1E+2"])(
    "are not integers when they are written as %s",
    async (given) => {
      const path = await sets(api());
      await api().send("POST", path, replicaSet());
      const field = `json: cannot unmarshal number ${given} into Go struct field`;
      const written = (object: object): string => JSON.stringify(object).replaceAll('"GIVEN"', given);
      const refused = [
        api().send("POST", path, written({ ...replicaSet({ terminationGracePeriodSeconds: "GIVEN" }) })),
        api().send("PUT", `${path}/a`, written({ ...replicaSet(), spec: { replicas: "GIVEN" } })),
        api().send("POST", path, written(replicaSet(probe("GIVEN")))),
        api().patch(`${path}/a`, "merge", written({ spec: { minReadySeconds: "GIVEN" } })),
      ];
      const answers = await Promise.all(refused);
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 422]);
      for (const { body } of answers) expect(body.message).toContain(field);
    },
  );

  test("are quantities as they are written", async () => {
    const limits = { cpu: 1, memory: 2, "example.com/a": 3 };
    const body = replicaSet({ containers: [{ name: "c", image: "i", resources: { limits } }] });
    const text = JSON.stringify(body).replace('"cpu":1', '"cpu":1e3').replace('"memory":2', '"memory":2.0');
    const { body: made } = await api().send("POST", await sets(api()), text);
    expect(made.spec).toMatchObject({
      template: {
        spec: {
          containers: [{ resources: { limits: { cpu: "1e3", memory: "2", "example.com/a": "3" } } }],
        },
      },
    });
  });

  test.each<Int64>([2 ** 31, -(2 ** 31) - 1, LONG, MAX])("replicas cannot be %s", async (count) => {
    const { spec, ...rest } = replicaSet() as { readonly spec: object };
    const path = await sets(api());
    const { status, body } = await api().send("POST", path, { ...rest, spec: { ...spec, replicas: count } });
    const field = "ReplicaSetSpec.spec.replicas of type int32";
    const message = `json: cannot unmarshal number ${count} into Go struct field ${field}`;
    expect([status, body.message]).toEqual([
      400,
      `ReplicaSet in version "v1" cannot be handled as a ReplicaSet: ${message}`,
    ]);
  });

  test("are checked against the limits of their fields", async () => {
    const spec = {
      activeDeadlineSeconds: LONG,
      securityContext: { runAsUser: LONG, supplementalGroups: [MAX] },
    };
    const { status, body } = await api().send("POST", await sets(api()), replicaSet(spec));
    expect(status).toBe(422);
    expect(body.message).toContain(
      `activeDeadlineSeconds: Invalid value: ${LONG}: must be between 1 and 2147483647`,
    );
    expect(body.message).toContain(`runAsUser: Invalid value: ${LONG}: must be between 0 and 2147483647`);
    expect(body.message).toContain(
      `supplementalGroups[0]: Invalid value: ${MAX}: must be between 0 and 2147483647`,
    );
  });

  test("are quantities, too", async () => {
    const limits = { cpu: LONG, memory: MAX };
    const container = { name: "c", image: "i", resources: { limits } };
    const { body } = await api().send("POST", await sets(api()), replicaSet({ containers: [container] }));
    expect(body.spec).toMatchObject({
      template: { spec: { containers: [{ resources: { limits: { cpu: `${LONG}`, memory: `${MAX}` } } }] } },
    });
  });

  test("a grace period of so many seconds ends where it does in Go", async () => {
    const pods = `/api/v1/namespaces/${await api().namespace()}/pods`;
    for (const seconds of [MAX, LONG]) {
      const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
      await api().send("POST", pods, { metadata: { name: "a" }, spec });
      const { status, body } = await api().send("DELETE", `${pods}/a`, { gracePeriodSeconds: seconds });
      expect([status, body.metadata.deletionGracePeriodSeconds]).toEqual([200, seconds]);
      // Nanoseconds in 64 bits wrap around.
      const aheadMs = Number(BigInt.asIntN(64, seconds * 1_000_000_000n)) / 1e6;
      const deletedMs = Date.parse(body.metadata.deletionTimestamp ?? "");
      expect(Math.abs(deletedMs - aheadMs - Date.now())).toBeLessThan(60_000);
      await api().send("DELETE", `${pods}/a`, { gracePeriodSeconds: 0 });
    }
  });

  test("generations in an annotation are counted on", async () => {
    const path = `/apis/apps/v1/namespaces/${await api().namespace()}/daemonsets`;
    const key = "deprecated.daemonset.template.generation";
    const spec = { selector: { matchLabels: { app: "a" } }, template: template() };
    const annotations = { [key]: `${LONG}` };
    await api().send("POST", path, { metadata: { name: "a", annotations }, spec });
    const change = { spec: { template: { spec: { terminationGracePeriodSeconds: MAX } } } };
    const { body } = await api().patch(`${path}/a`, "merge", change);
    expect(body.metadata).toMatchObject({ annotations: { [key]: `${LONG + 1n}` } });
  });

  test("parameters are read with 64 bits", async () => {
    const path = await sets(api());
    expect((await api().get(`${path}?limit=9223372036854775807`)).status).toBe(200);
    const { status, body } = await api().get(`${path}?limit=9223372036854775808`);
    expect(status).toBe(400);
    expect(body.message).toContain("value out of range");
  });
});
