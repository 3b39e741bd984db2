import { expect, test } from "vitest";
import { asStored } from "../../test/harness/stored.ts";
import { findCondition } from "../../pkg/api/conditions.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import { fakeClients } from "../../test/harness/fake-clients.ts";
import { type FakeAnswer, FakeTransport } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { syncOf } from "../../test/harness/sync-of.ts";
import { deleteContent } from "./sync-content.ts";

const all = ["list", "delete", "deletecollection"];
const namespace: Stored<Namespace> = asStored<Namespace>({
  metadata: { name: "test", uid: "u", resourceVersion: "1", deletionTimestamp: "2026-01-01T00:00:00Z" },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Terminating" },
});

// upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter_test.go#TestSyncNamespaceThatIsTerminating
test("what was discovered is deleted, and what was not keeps the namespace", async () => {
  const apps = group("apps", "v1", ["deployments"]);
  const { run, lines } = fixture(
    { body: discovery([group("", "v1", ["pods", "services"])]) },
    { body: discovery([apps, stale("metrics.k8s.io")]) },
  );
  const { result, conditions } = await run();
  const message =
    "unable to retrieve the complete list of server APIs: metrics.k8s.io/v1: " +
    "stale GroupVersion discovery: metrics.k8s.io/v1";
  expect(result).toMatchObject({ message });
  expect(findCondition(conditions, "NamespaceDeletionDiscoveryFailure")).toMatchObject({
    status: "True",
    message: `Discovery failed for some groups, 1 failing: ${message}`,
  });
  expect(lines()).toEqual([
    "GET /api/v1/namespaces/test/pods",
    "DELETE /api/v1/namespaces/test/pods",
    "GET /api/v1/namespaces/test/pods",
    "DELETE /api/v1/namespaces/test/services",
    "GET /api/v1/namespaces/test/services",
    "DELETE /apis/apps/v1/namespaces/test/deployments",
    "GET /apis/apps/v1/namespaces/test/deployments",
    "PUT /api/v1/namespaces/test/status",
  ]);
});

test.each<[string, FakeAnswer, FakeAnswer]>([
  ["fails", { status: 500, body: "no discovery" }, { body: discovery([]) }],
  ["is refused", { status: 403, body: "no discovery" }, { status: 403, body: "no discovery" }],
  [
    "of all but the core group is refused",
    { body: discovery([group("", "v1", ["pods"])]) },
    { status: 403, body: "no discovery" },
  ],
  ["gives nothing", { status: 404, body: "no discovery" }, { status: 404, body: "no discovery" }],
])("while discovery %s nothing is deleted, and the namespace stays and says so", async (_, core, groups) => {
  const { run, lines } = fixture(core, groups);
  const { result, conditions } = await run();
  expect(result).toMatchObject({ message: expect.stringContaining("no discovery") as unknown });
  expect(findCondition(conditions, "NamespaceDeletionDiscoveryFailure")).toMatchObject({
    status: "True",
    reason: "DiscoveryFailed",
  });
  expect(lines()).toEqual(["PUT /api/v1/namespaces/test/status"]);
});

test("a resource without deletion of collections is deleted object by object", async () => {
  const verbs = ["list", "delete"];
  const { run, lines } = fixture(
    { body: discovery([group("", "v1", ["things"], verbs)]) },
    { body: discovery([]) },
    ["a", "b"],
  );
  const { result } = await run();
  expect(result).toMatchObject({
    message: "unexpected items still remain in namespace: test for gvr: /v1, Resource=things",
  });
  expect(lines()).toEqual([
    "GET /api/v1/namespaces/test/things",
    "DELETE /api/v1/namespaces/test/things/a",
    "DELETE /api/v1/namespaces/test/things/b",
    "GET /api/v1/namespaces/test/things",
    "PUT /api/v1/namespaces/test/status",
  ]);
});

test("what is served is asked anew each time: a resource that came a moment ago may have objects", async () => {
  const { run, looks } = fixture({ body: discovery([]) }, { body: discovery([]) });
  await run();
  await run();
  expect(looks()).toBe(2);
});

test("an object that is gone or cannot be deleted does not keep the others", async () => {
  const verbs = ["list", "delete"];
  const refused = new Map([
    ["DELETE /api/v1/namespaces/test/things/a", { status: 404, body: "gone" }],
    ["DELETE /api/v1/namespaces/test/things/b", { status: 500, body: "not b" }],
    ["DELETE /api/v1/namespaces/test/things/c", { status: 500, body: "not c" }],
  ]);
  const things = discovery([group("", "v1", ["things"], verbs)]);
  const { run, lines } = fixture({ body: things }, { body: discovery([]) }, ["a", "b", "c", "d"], refused);
  const { result, conditions } = await run();
  for (const name of ["b", "c"]) {
    const message = expect.stringContaining(`not ${name}`) as unknown;
    expect(result).toMatchObject({ message });
    expect(findCondition(conditions, "NamespaceDeletionContentFailure")).toMatchObject({ message });
  }
  expect((result as Error).message).not.toContain("gone");
  expect(
    lines()
      .filter((line) => line.startsWith("DELETE"))
      .map((line) => line.at(-1)),
  ).toEqual(["a", "b", "c", "d"]);
});

test.each([
  ["that cannot be deleted", ["list"], []],
  [
    "that cannot be listed",
    ["delete", "deletecollection"],
    ["DELETE /api/v1/namespaces/test/things", "PUT /api/v1/namespaces/test/status"],
  ],
])("a resource %s does not keep the namespace", async (_, verbs, expected) => {
  const { run, lines } = fixture(
    { body: discovery([group("", "v1", ["things"], verbs)]) },
    { body: discovery([]) },
  );
  const { result } = await run();
  expect(result).toMatchObject({ estimateSeconds: 0 });
  expect(lines()).toEqual(expected.length > 0 ? expected : ["PUT /api/v1/namespaces/test/status"]);
});

// upstream: …#deleteAllContent goes on with the rest, so that pods run on without what guards them.
test.each<[string, string]>([
  ["listed", "GET"],
  ["deleted", "DELETE"],
])("pods that cannot be %s keep everything else where it is, and are told of", async (_, method) => {
  const refused = new Map([[`${method} /api/v1/namespaces/test/pods`, { status: 500, body: "no pods" }]]);
  const core = discovery([group("", "v1", ["pods", "services"])]);
  const { run, lines } = fixture(
    { body: core },
    { body: discovery([group("apps", "v1", ["deployments"])]) },
    [],
    refused,
  );
  const { result, conditions } = await run();
  expect(result).toMatchObject({
    message: expect.stringMatching(/^failed to delete pods for namespace: test, err: .*no pods/) as unknown,
  });
  expect(findCondition(conditions, "NamespaceDeletionContentFailure")).toMatchObject({
    status: "True",
    message: expect.stringContaining("no pods") as unknown,
  });
  expect(lines().filter((line) => line.startsWith("DELETE") && !line.endsWith("/pods"))).toEqual([]);
});

test("a version that cannot be read keeps the namespace, and not what is in it", async () => {
  const { run, lines } = fixture(
    { body: discovery([group("", "v1", ["services"])]) },
    { body: discovery([group("odd.example.com", "v1/beta", ["things"])]) },
  );
  const { result, conditions } = await run();
  const message = "unexpected GroupVersion string: odd.example.com/v1/beta";
  expect(result).toMatchObject({ message });
  expect(findCondition(conditions, "NamespaceDeletionGroupVersionParsingFailure")).toMatchObject({
    status: "True",
    reason: "GroupVersionParsingFailed",
    message,
  });
  expect(lines().filter((line) => line.startsWith("DELETE"))).toEqual([
    "DELETE /api/v1/namespaces/test/services",
  ]);
});

interface Run {
  readonly result: unknown;
  readonly conditions: NonNullable<Namespace["status"]>["conditions"];
}

/** A server that answers so to discovery and to deletions, and has, in every list, objects of these names. */
function fixture(
  core: FakeAnswer,
  groups: FakeAnswer,
  names: readonly string[] = [],
  refused: ReadonlyMap<string, FakeAnswer> = new Map(),
) {
  const transport = new FakeTransport(({ path, method, body }): FakeAnswer => {
    if (path === "/api") return core;
    if (path === "/apis") return groups;
    if (method === "PUT") return { body };
    const refusal = refused.get(`${method} ${path}`);
    if (refusal !== undefined) return refusal;
    if (method === "DELETE") return { body: { apiVersion: "v1", kind: "Status", status: "Success" } };
    return {
      body: {
        apiVersion: "v1",
        kind: "List",
        metadata: {},
        items: names.map((name) => ({ metadata: { name } })),
      },
    };
  });
  const clock = new VirtualClock();
  const client = fakeClients(transport, clock).client("namespace-controller");
  const context = {
    namespaceClient: client.clientFor<Namespace>(resources.namespaces),
    client,
    clock,
  };
  const run = async (): Promise<Run> => {
    const attempt = deleteContent(syncOf("test"), context, namespace);
    const result: unknown = await attempt.catch((error: unknown) => error);
    const put = transport.requests.findLast(({ method }) => method === "PUT");
    const written = put?.body as Namespace | undefined;
    return { result, conditions: written?.status?.conditions };
  };
  const isContent = (line: string): boolean => !/^GET \/apis?$/.test(line);
  const looks = (): number => transport.lines.filter((line) => line === "GET /apis").length;
  return { run, looks, lines: () => transport.lines.filter(isContent) };
}

function discovery(items: readonly object[]): object {
  return { kind: "APIGroupDiscoveryList", items };
}

function group(name: string, version: string, plurals: readonly string[], verbs = all): object {
  const resources = plurals.map((resource) => ({
    resource,
    responseKind: { kind: resource },
    scope: "Namespaced",
    verbs,
  }));
  return { metadata: { name }, versions: [{ version, freshness: "Current", resources }] };
}

function stale(name: string): object {
  return { metadata: { name }, versions: [{ version: "v1", freshness: "Stale", resources: [] }] };
}
