import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientsOf } from "../../harness/admin-client.ts";
import { servers, type TestServer } from "../../harness/servers.ts";
import { until } from "../../harness/until.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { ApiError, isInvalid } from "../../../pkg/client/errors.ts";
import type { ObjectOf } from "../../../pkg/crd/crd.ts";
import { defineCrd } from "../../../pkg/crd/define-crd.ts";
import { installCrds } from "../../../pkg/crd/install-crds.ts";
import { typedSchema } from "../../../pkg/crd/schema-source.ts";

const names = { group: "definitions.example.com", version: "v1", scope: "Namespaced" } as const;
const namespace = "default";

const Website = defineCrd({
  ...names,
  kind: "Website",
  shortNames: ["site"],
  spec: {
    type: "object",
    required: ["host"],
    properties: {
      host: { type: "string", minLength: 1, maxLength: 100 },
      replicas: { type: "integer", minimum: 0, default: 2 },
      mode: { anyOf: [{ const: "Fast" }, { const: "Safe" }], default: "Safe" },
      port: { "x-kubernetes-int-or-string": true },
      note: { type: ["string", "null"] },
      extra: {},
      labels: { type: "object", additionalProperties: { type: "string" } },
      inner: {
        type: "object",
        required: ["depth"],
        properties: { depth: { type: "integer", default: 1 } },
        default: {},
        "x-kubernetes-validations": [{ rule: "self.depth < 5", message: "too deep" }],
      },
    },
  },
  status: { type: "object", properties: { replicas: { type: "integer" } } },
  rules: [
    { rule: "self.spec.host != 'localhost'", message: "nobody finds localhost", fieldPath: ".spec.host" },
  ],
  printerColumns: [{ name: "Host", type: "string", jsonPath: ".spec.host" }],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  selectableFields: [".spec.host"],
});
type Website = ObjectOf<typeof Website>;

const Odd = defineCrd({
  ...names,
  kind: "Odd",
  spec: typedSchema<{ readonly size?: number | null; readonly list?: readonly string[] }>({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    properties: {
      size: { anyOf: [{ type: "integer", exclusiveMinimum: 0 }, { type: "null" }] },
      list: { type: "array", items: { $ref: "#/$defs/text" } },
    },
    $defs: { text: { type: "string", pattern: "^[a-z]+$" } },
  }),
});

describe.each(servers)("custom resources of authors ($name)", ({ start }) => {
  let server: TestServer;
  let builder: ClientBuilder;
  let client: ClientSet;

  beforeAll(async () => {
    server = await start();
    builder = await clientsOf(server.kubeconfig);
    client = builder.client("test");
    await installCrds(client, [Website, Odd]);
  });
  afterAll(async () => {
    await builder.close();
    await server.stop();
  });

  const meta = (name: string): { readonly name: string; readonly namespace: string } => ({ name, namespace });

  test("are served as soon as they are installed, in the types of their schema", async () => {
    const websites = client.clientFor(Website);
    const made = await websites.create(
      Website.object({ metadata: meta("one"), spec: { host: "a.example" } }),
    );
    const { replicas, mode, inner }: Website["spec"] = made.spec;
    expect([replicas, mode, inner]).toEqual([2, "Safe", { depth: 1 }]);
    const listed = await websites.list({ namespace, fieldSelector: "spec.host=a.example" });
    expect(listed.items.map(({ metadata }) => metadata.name)).toEqual(["one"]);
    const status = await websites.updateStatus({ ...made, status: { replicas: 1 } });
    expect(status.status).toEqual({ replicas: 1 });
    const scale = await websites.getSubresource({ namespace, name: "one" }, "scale");
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 1 } });
  });

  test("what is filled in here is what the server fills in", async () => {
    const draft = { metadata: meta("defaults"), spec: { host: "b.example", inner: {} } };
    const here = Website.object(draft);
    const bare = { apiVersion: "definitions.example.com/v1", kind: "Website", ...draft };
    const there = await client.dynamic(Website).create(bare);
    expect({ spec: here.spec }).toEqual({ spec: (there as Website).spec });
  });

  test("every form of the schema is understood by the server", async () => {
    const spec = { host: "c.example", port: "http", note: null, extra: [1, { a: "b" }], labels: { a: "b" } };
    const made = await client.clientFor(Website).create(Website.object({ metadata: meta("forms"), spec }));
    expect(made.spec).toMatchObject(spec);
    const odd = await client
      .clientFor(Odd)
      .create(Odd.object({ metadata: meta("odd"), spec: { size: null } }));
    expect(odd.spec).toEqual({ size: null });
  });

  test.each<readonly [what: string, spec: Website["spec"], field: string, message: string]>([
    [
      "a value out of bounds",
      spec({ replicas: -1 }),
      "spec.replicas",
      "should be greater than or equal to 0",
    ],
    [
      "a value that is none of the listed",
      spec({}, { mode: "Slow" }),
      "spec.mode",
      'supported values: "Fast", "Safe"',
    ],
    ["a rule of the whole", spec({ host: "localhost" }), "spec.host", "nobody finds localhost"],
    ["a rule of a part", spec({ inner: { depth: 7 } }), "spec.inner", "too deep"],
  ])("%s is refused", async (_, given, field, message) => {
    const creating = client
      .clientFor(Website)
      .create({ ...Website.object({ metadata: meta("wrong"), spec: { host: "x" } }), spec: given });
    await expect(creating).rejects.toSatisfy(isInvalid);
    const causes = await creating.then(
      () => [],
      (error: unknown) => (error instanceof ApiError ? error.causes : []),
    );
    expect(causes.find((cause) => cause.field === field)?.message).toContain(message);
  });

  test("installing once more changes nothing, and leaves alone what others have added", async () => {
    const definitions = client.clientFor(resources.customResourceDefinitions);
    const ref = { name: "websites.definitions.example.com" };
    await definitions.patch(ref, { type: "merge", body: { metadata: { labels: { mine: "yes" } } } });
    const before = await definitions.get(ref);
    await installCrds(client, [Website]);
    const after = await definitions.get(ref);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(after.metadata.labels).toEqual({ mine: "yes" });
  });

  test("names that another has taken are told", async () => {
    const Thief = defineCrd({ ...names, kind: "Thief", shortNames: ["site"], spec: { type: "object" } });
    await expect(installCrds(client, [Thief])).rejects.toThrow(
      /thiefs\.definitions\.example\.com: its names are taken: .*site/,
    );
  });

  test("a definition on its way out is waited for, and made anew", async () => {
    const Gone = defineCrd({ ...names, kind: "Gone", spec: { type: "object" } });
    await installCrds(client, [Gone]);
    const ref = { name: "gones.definitions.example.com" };
    const definitions = client.clientFor(resources.customResourceDefinitions);
    const finalizers = ["example.com/hold"];
    await definitions.patch(ref, { type: "merge", body: { metadata: { finalizers } } });
    const { uid } = (await definitions.get(ref)).metadata;
    await definitions.delete(ref);
    await expect(installCrds(client, [Gone], { timeoutMs: 300 })).rejects.toThrow(
      /longer than 300 ms: .*being deleted/,
    );
    const installing = installCrds(client, [Gone]);
    await until(
      "it is waited for",
      async () => (await definitions.get(ref)).metadata.deletionTimestamp !== undefined,
    );
    await definitions.patch(ref, { type: "json", body: [{ op: "remove", path: "/metadata/finalizers/0" }] });
    await installing;
    const anew = await definitions.get(ref);
    expect(anew.metadata.uid).not.toBe(uid);
  });

  test("what the server would refuse never gets to it", async () => {
    const wrong = (): unknown =>
      defineCrd({
        ...names,
        kind: "Wrong",
        spec: { type: "object", properties: { a: {}, b: { default: 1 } } },
      });
    expect(wrong).toThrow("spec.b.type: Required value");
  });
});

function spec(change: Partial<Website["spec"]>, wrong: object = {}): Website["spec"] {
  return { host: "x", replicas: 1, mode: "Safe", inner: { depth: 1 }, ...change, ...wrong };
}
