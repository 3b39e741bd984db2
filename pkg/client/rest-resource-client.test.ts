import { describe, expect, test } from "vitest";
import type { FakeAnswer } from "../../test/harness/fake-transport.ts";
import { FakeTransport, untilAborted } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { ApiObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { resources } from "../api/resources.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import type { ClientSet } from "./client-set.ts";
import { clientSet } from "./client-set.ts";
import { isConnectionError, isExpired, isTimeout } from "./errors.ts";
import { unlimited } from "./limiter.ts";
import type { ResourceClient } from "./resource-client.ts";
import { RestMetrics } from "./rest-metrics.ts";
import { RestClient } from "./rest.ts";
import { WarningLog } from "./warnings.ts";

const PODS: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const DEPLOYMENTS: Resource = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};
const NODES: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
const REF = { namespace: "ns", name: "web" };
const named = { apiVersion: "apps/v1", kind: "Deployment", metadata: REF };
const listed = { apiVersion: "apps/v1", kind: "DeploymentList", metadata: {}, items: [] };

function setup(answer: (signal?: AbortSignal) => FakeAnswer = () => ({ body: named })): {
  clock: VirtualClock;
  transport: FakeTransport;
  clients: ClientSet;
} {
  const clock = new VirtualClock();
  const transport = new FakeTransport((_, signal) => answer(signal));
  const rest = new RestClient({
    transport,
    clock,
    limiter: unlimited,
    metrics: new RestMetrics(noMetrics, "host"),
    warnings: new WarningLog(silentLogger),
    userAgent: "test",
  });
  return { clock, transport, clients: clientSet(rest) };
}

type Call = (client: ResourceClient) => Promise<unknown>;
const web: ApiObject = { metadata: REF };
const object = "/apis/apps/v1/namespaces/ns/deployments/web";
const collection = "/apis/apps/v1/namespaces/ns/deployments";

test.each<[string, Call, { line: string; body?: unknown; type?: string }]>([
  ["get", async (c) => c.get(REF), { line: `GET ${object}` }],
  [
    "get at a version",
    async (c) => c.get(REF, { resourceVersion: "0" }),
    { line: `GET ${object}?resourceVersion=0` },
  ],
  ["list everywhere", async (c) => c.list(), { line: "GET /apis/apps/v1/deployments" }],
  [
    "list a page",
    async (c) =>
      c.list({
        namespace: "ns",
        labelSelector: "a=b,c in (d)",
        limit: 5,
        continue: "x",
        resourceVersion: "7",
        resourceVersionMatch: "Exact",
      }),
    {
      line: `GET ${collection}?labelSelector=a=b,c+in+(d)&resourceVersion=7&resourceVersionMatch=Exact&limit=5&continue=x`,
    },
  ],
  [
    "create",
    async (c) => c.create(web, { dryRun: true }),
    { line: `POST ${collection}?dryRun=All`, body: named, type: "application/json" },
  ],
  [
    "update",
    async (c) => c.update(web, { fieldManager: "me" }),
    { line: `PUT ${object}?fieldManager=me`, body: named, type: "application/json" },
  ],
  [
    "create in text of one's own",
    async (c) => c.create(web, { encode: (whole) => `text of ${(whole as ApiObject).kind}` }),
    { line: `POST ${collection}`, body: "text of Deployment", type: "application/json" },
  ],
  [
    "update in text of one's own",
    async (c) => c.update(named, { encode: (whole) => JSON.stringify(whole, null, 1) }),
    { line: `PUT ${object}`, body: JSON.stringify(named, null, 1), type: "application/json" },
  ],
  [
    "updateStatus",
    async (c) => c.updateStatus(web),
    { line: `PUT ${object}/status`, body: named, type: "application/json" },
  ],
  [
    "JSON patch",
    async (c) => c.patch(REF, { type: "json", body: [{ op: "remove", path: "/a" }] }),
    { line: `PATCH ${object}`, body: [{ op: "remove", path: "/a" }], type: "application/json-patch+json" },
  ],
  [
    "merge patch",
    async (c) => c.patch(REF, { type: "merge", body: { a: null } }, { subresource: "status" }),
    { line: `PATCH ${object}/status`, body: { a: null }, type: "application/merge-patch+json" },
  ],
  [
    "strategic merge patch",
    async (c) => c.patch(REF, { type: "strategic", body: { a: 1 } }),
    { line: `PATCH ${object}`, body: { a: 1 }, type: "application/strategic-merge-patch+json" },
  ],
  [
    "apply",
    async (c) => c.apply(web, { fieldManager: "me", force: true }),
    { line: `PATCH ${object}?fieldManager=me&force=true`, body: named, type: "application/apply-patch+yaml" },
  ],
  [
    "patch of what is an object of another kind",
    async (c) => c.patchSubresource(REF, "scale", { type: "merge", body: { spec: { replicas: 2 } } }),
    {
      line: `PATCH ${object}/scale`,
      body: { spec: { replicas: 2 } },
      type: "application/merge-patch+json",
    },
  ],
  ["delete", async (c) => c.delete(REF), { line: `DELETE ${object}` }],
  [
    "delete with conditions",
    async (c) =>
      c.delete(REF, {
        propagationPolicy: "Orphan",
        preconditions: { uid: "u" },
        gracePeriodSeconds: 0,
        dryRun: true,
      }),
    {
      line: `DELETE ${object}`,
      body: {
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy: "Orphan",
        preconditions: { uid: "u" },
        gracePeriodSeconds: 0,
        dryRun: ["All"],
      },
      type: "application/json",
    },
  ],
  [
    "deleteCollection",
    async (c) => c.deleteCollection({ namespace: "ns", fieldSelector: "a=b" }),
    { line: `DELETE ${collection}?fieldSelector=a=b` },
  ],
  ["get a subresource", async (c) => c.getSubresource(REF, "scale"), { line: `GET ${object}/scale` }],
  [
    "create a subresource",
    async (c) => c.createSubresource(REF, "eviction", { a: 1 }),
    { line: `POST ${object}/eviction`, body: { a: 1 }, type: "application/json" },
  ],
  [
    "update a subresource",
    async (c) => c.updateSubresource(REF, "scale", { a: 1 }),
    { line: `PUT ${object}/scale`, body: { a: 1 }, type: "application/json" },
  ],
])("%s", async (what, call, expected) => {
  const { transport, clients } = setup(() => ({ body: what.startsWith("list") ? listed : named }));
  await call(clients.clientFor(DEPLOYMENTS));
  const request = transport.requests[0];
  expect(transport.lines).toEqual([expected.line]);
  expect(request?.body).toEqual(expected.body);
  expect(request?.headers?.["content-type"]).toBe(expected.type);
  expect(request?.headers).toMatchObject({ accept: "application/json", "user-agent": "test" });
});

test("write-only clients send what others send, and leave every answer unread", async () => {
  const { transport, clients } = setup(() => ({ chunks: ["no JSON at all"] }));
  const events = clients.writeOnly(resources.events);
  const event = { metadata: { namespace: "a", name: "b" }, involvedObject: {} };
  await events.create(event);
  await events.patch({ namespace: "a", name: "b" }, { type: "strategic", body: { count: 2 } });
  expect(transport.requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
    {
      method: "POST",
      path: "/api/v1/namespaces/a/events",
      body: { apiVersion: "v1", kind: "Event", ...event },
    },
    { method: "PATCH", path: "/api/v1/namespaces/a/events/b", body: { count: 2 } },
  ]);
});

test("a write-only client rejects as others do", async () => {
  const { clients } = setup(() => ({ status: 409, chunks: ['{"kind":"Status","reason":"AlreadyExists"}'] }));
  const event = { metadata: { namespace: "a", name: "b" }, involvedObject: {} };
  await expect(clients.writeOnly(resources.events).create(event)).rejects.toMatchObject({
    code: 409,
    reason: "AlreadyExists",
  });
});

test("metadata clients ask for metadata of objects, lists, watches and of what they write", async () => {
  const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: REF };
  let body: object = partial;
  const { transport, clients } = setup(() => ({ body }));
  const client = clients.metadata(PODS);
  await client.get(REF);
  body = { ...partial, kind: "PartialObjectMetadataList" };
  await client.list();
  body = partial;
  await expect(client.watch({})[Symbol.asyncIterator]().next()).rejects.toThrow();
  await client.create({ metadata: REF });
  await client.patch(REF, { type: "merge", body: {} });
  await client.delete(REF);
  expect(transport.requests.map(({ headers }) => headers?.["accept"])).toEqual([
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json",
    ...Array.from(
      { length: 4 },
      () => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json",
    ),
  ]);
});

test.each<[string, Resource, { namespace?: string; name: string }]>([
  ["an empty name", NODES, { name: "" }],
  ["a name that climbs", NODES, { name: ".." }],
  ["no namespace", PODS, { name: "a" }],
  ["a namespace that climbs", PODS, { namespace: "..", name: "a" }],
])("refuses %s before anything is sent", async (_, resource, ref) => {
  const { transport, clients } = setup();
  await expect(clients.dynamic(resource).delete(ref)).rejects.toThrow(TypeError);
  expect(transport.requests).toEqual([]);
});

test("the limiter is told the namespace of every request but watches", async () => {
  const flows: string[] = [];
  const rest = new RestClient({
    transport: new FakeTransport(({ path }) =>
      path.endsWith("pods") ? { chunks: [] } : { body: { ...named, apiVersion: "v1", kind: "Pod" } },
    ),
    clock: new VirtualClock(),
    limiter: { wait: async (flow) => void flows.push(flow) },
    metrics: new RestMetrics(noMetrics, "host"),
    warnings: new WarningLog(silentLogger),
    userAgent: "test",
  });
  const client = clientSet(rest).dynamic(PODS);
  await client.delete(REF);
  await client.patch(REF, { type: "merge", body: {} });
  await client.deleteCollection({ namespace: "other" });
  await client.deleteCollection({});
  for await (const _ of client.watch({ namespace: "ns" })) expect.unreachable();
  expect(flows).toEqual(["ns", "ns", "other", ""]);
});

test("odd names are encoded", async () => {
  const { transport, clients } = setup(() => ({ body: { ...named, apiVersion: "v1", kind: "Node" } }));
  await clients.dynamic(NODES).get({ name: "system:a/b%" });
  expect(transport.lines).toEqual(["GET /api/v1/nodes/system%3Aa%2Fb%25"]);
});

test("a list streams its items and keeps its metadata", async () => {
  const body = {
    apiVersion: "v1",
    kind: "PodList",
    metadata: { resourceVersion: "9", continue: "c" },
    items: [{ metadata: { name: "a" } }, { apiVersion: "v1", kind: "Pod", metadata: { name: "b" } }],
  };
  const { clients } = setup(() => ({ body }));
  expect(await clients.dynamic(PODS).list()).toEqual(body);
  const items: unknown[] = [];
  expect(await clients.dynamic(PODS).listEach({}, (item) => items.push(item))).toEqual(body.metadata);
  expect(items).toEqual(body.items);
});

const refusal = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "Forbidden", code: 403 };
const stranger = { apiVersion: "v1", kind: "Pod", metadata: REF };

describe.each<[string, object, object]>([
  ["a refusal", refusal, { code: 403, reason: "Forbidden" }],
  ["a refusal without a word", { kind: "Status", apiVersion: "v1" }, { code: 500 }],
  ["an object of another kind", stranger, { failure: "malformed" }],
  ["an object of another version", { ...named, apiVersion: "apps/v2" }, { failure: "malformed" }],
  ["an object without metadata", { ...named, metadata: undefined }, { failure: "malformed" }],
  ["nothing that has a kind", { metadata: REF, items: [] }, { failure: "malformed" }],
  ["an array", [], { failure: "malformed" }],
])("%s with code 200", (_, body, expected) => {
  test.each<[string, Call]>([
    ["get", async (c) => c.get(REF)],
    ["create", async (c) => c.create(web)],
    ["update", async (c) => c.update(web)],
    ["updateStatus", async (c) => c.updateStatus(web)],
    ["patch", async (c) => c.patch(REF, { type: "merge", body: {} })],
    ["apply", async (c) => c.apply(web, { fieldManager: "me" })],
    ["delete", async (c) => c.delete(REF)],
    ["list", async (c) => c.list()],
    ["listEach", async (c) => c.listEach({}, () => undefined)],
  ])("is an error of %s", async (__, call) => {
    const { clients } = setup(() => ({ body }));
    await expect(call(clients.clientFor(DEPLOYMENTS))).rejects.toMatchObject({
      name: "ApiError",
      ...expected,
    });
  });
});

test("a refusal with code 200 is an error of requests for subresources", async () => {
  const { clients } = setup(() => ({ body: refusal }));
  const client = clients.clientFor(DEPLOYMENTS);
  for (const answer of [
    client.getSubresource(REF, "scale"),
    client.createSubresource(REF, "eviction", {}),
    client.updateSubresource(REF, "scale", {}),
  ])
    await expect(answer).rejects.toMatchObject({ code: 403 });
});

test.each<[string, object]>([
  ["a single object", named],
  ["a list of other objects", { ...listed, apiVersion: "v1", kind: "PodList" }],
  ["a list with an object of another kind", { ...listed, items: [stranger] }],
  ["a list with something that is no object", { ...listed, items: [null] }],
])("%s is no list", async (_, body) => {
  const { clients } = setup(() => ({ body }));
  await expect(clients.dynamic(DEPLOYMENTS).list()).rejects.toMatchObject({ failure: "malformed" });
});

test.each<[string, object]>([
  ["a plain list", { ...listed, apiVersion: "v1", kind: "List" }],
  ["a list under a name of the definition's own", { ...listed, kind: "Fleet" }],
])("%s is a list", async (_, body) => {
  const { clients } = setup(() => ({ body }));
  expect(await clients.dynamic(DEPLOYMENTS).list()).toEqual(body);
});

test("a Status that says that all is well is no error of a delete", async () => {
  const success = { apiVersion: "v1", kind: "Status", status: "Success" };
  const { clients } = setup(() => ({ body: success }));
  expect(await clients.dynamic(DEPLOYMENTS).delete(REF)).toEqual(success);
});

describe("watch", () => {
  const event = (type: string, resourceVersion: string): string =>
    `${JSON.stringify({ type, object: { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion } } })}\n`;

  async function collect(chunks: Iterable<string>): Promise<{ types: string[]; error?: unknown }> {
    const { clients } = setup(() => ({ chunks }));
    const types: string[] = [];
    try {
      for await (const { type } of clients.dynamic(PODS).watch({})) types.push(type);
    } catch (error) {
      return { types, error };
    }
    return { types };
  }

  test("asks for what it is told, with the match that initial events need", async () => {
    const { transport, clients } = setup(() => ({ chunks: [] }));
    const options = {
      namespace: "ns",
      resourceVersion: "5",
      timeoutSeconds: 300,
      allowWatchBookmarks: true,
      sendInitialEvents: true,
    };
    for await (const _ of clients.dynamic(PODS).watch(options)) expect.unreachable();
    expect(transport.lines).toEqual([
      "GET /api/v1/namespaces/ns/pods?watch=true&resourceVersion=5&resourceVersionMatch=NotOlderThan&timeoutSeconds=300&allowWatchBookmarks=true&sendInitialEvents=true",
    ]);
    expect(transport.requests[0]?.endless).toBe(true);
  });

  test("hands over events in order, bookmarks included, and ends with the stream", async () => {
    const text = event("ADDED", "1") + event("BOOKMARK", "2") + event("DELETED", "3");
    expect(await collect([text.slice(0, 30), text.slice(30)])).toEqual({
      types: ["ADDED", "BOOKMARK", "DELETED"],
    });
  });

  test("an ERROR event is the ApiError of its Status", async () => {
    const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
    const { types, error } = await collect([
      event("ADDED", "1"),
      `${JSON.stringify({ type: "ERROR", object: status })}\n`,
    ]);
    expect(types).toEqual(["ADDED"]);
    expect(isExpired(error)).toBe(true);
  });

  describe.each([
    "{broken\n",
    "null\n",
    event("WHAT", "2"),
    '{"type":"ADDED"}\n',
    `${JSON.stringify({ type: "ADDED", object: refusal })}\n`,
    `${JSON.stringify({ type: "ADDED", object: { ...named } })}\n`,
    `${JSON.stringify({ type: "ERROR", object: named })}\n`,
  ])("the line %j", (line) => {
    // In one piece, too: what comes before it in the same bytes is no worse for it.
    test.each([
      ["by itself", [event("ADDED", "1"), line]],
      ["among others", [event("ADDED", "1") + line + event("MODIFIED", "3")]],
    ])("is an error, %s", async (_, chunks) => {
      const { types, error } = await collect(chunks);
      expect(types).toEqual(["ADDED"]);
      expect(error).toMatchObject({ name: "ApiError", failure: "malformed" });
      expect(isConnectionError(error)).toBe(false);
    });

    test("is passed over by a reader who says so, and what follows is read", async () => {
      const text = event("ADDED", "1") + line + event("MODIFIED", "3");
      const { clients } = setup(() => ({ chunks: [text] }));
      const types: string[] = [];
      const errors: unknown[] = [];
      const onUnreadable = (error: unknown): void => void errors.push(error);
      for await (const { type } of clients.dynamic(PODS).watch({ onUnreadable })) types.push(type);
      expect(types).toEqual(["ADDED", "MODIFIED"]);
      expect(errors).toMatchObject([{ name: "ApiError", failure: "malformed" }]);
    });
  });

  test("a stream that ends inside a line was cut off", async () => {
    const { types, error } = await collect([event("ADDED", "1"), '{"type":"ADDED","obj']);
    expect(types).toEqual(["ADDED"]);
    expect(error).toMatchObject({ name: "ApiError", failure: "lost" });
    expect(isConnectionError(error)).toBe(true);
  });

  test("a watch that outlives its time-out by 30 s is cut off", async () => {
    const { clock, clients } = setup((signal) => ({
      chunks: (async function* stuck(): AsyncGenerator<string> {
        yield event("ADDED", "1");
        await untilAborted(signal);
      })(),
    }));
    let failure: unknown;
    const done = (async () => {
      for await (const _ of clients.dynamic(PODS).watch({ timeoutSeconds: 300 })) continue;
    })().catch((error: unknown) => (failure = error));
    await clock.advanceBy(329_999);
    expect(failure).toBeUndefined();
    await clock.advanceBy(1);
    await done;
    expect(isTimeout(failure)).toBe(true);
  });

  test("an abort before the start rejects with its reason, and nothing is asked", async () => {
    const { clock, transport, clients } = setup(() => ({ chunks: [] }));
    const watch = clients.dynamic(PODS).watch({ timeoutSeconds: 300 }, AbortSignal.abort(new Error("stop")));
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toThrow("stop");
    expect(transport.requests).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("an abort rejects with its reason and leaves no timer", async () => {
    const abort = new AbortController();
    const { clock, clients } = setup((signal) => ({
      chunks: (async function* stuck(): AsyncGenerator<string> {
        yield event("ADDED", "1");
        await untilAborted(signal);
      })(),
    }));
    const reading = (async () => {
      for await (const _ of clients.dynamic(PODS).watch({ timeoutSeconds: 300 }, abort.signal))
        abort.abort(new Error("stop"));
    })();
    await expect(reading).rejects.toThrow("stop");
    expect(clock.pendingTimers).toBe(0);
  });
});
