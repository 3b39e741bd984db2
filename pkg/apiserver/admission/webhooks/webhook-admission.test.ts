import { afterEach, expect, test } from "vitest";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { type Json, text } from "../../../api/json.ts";
import { seededRandom } from "../../../clock/random.ts";
import { parseJson } from "../../../api/wire-json.ts";
import { embeddedServer } from "../../embedded-server.ts";
import type { ApiServer } from "../../server/api-server.ts";
import { Store } from "../../storage/store.ts";
import type {
  WebhookReply,
  WebhookTarget,
  WebhookTransport,
} from "../../webhook-client/webhook-transport.ts";
import { builtInAdmission } from "../built-in-admission.ts";

interface Asked {
  readonly target: WebhookTarget;
  readonly review: Json;
}

/** Webhooks in this process, as a simulation has them: `answer` is the response, or nothing until the time is up. */
class LocalWebhooks implements WebhookTransport {
  readonly asked: Asked[] = [];
  answer: ((review: Json) => Json | undefined) | undefined;
  closed = false;

  async post(target: WebhookTarget, body: string, signal: AbortSignal): Promise<WebhookReply> {
    const review = parseJson(body) as Json & { readonly request: Json };
    this.asked.push({ target, review });
    const response = this.answer === undefined ? { allowed: true } : this.answer(review);
    if (response === undefined)
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const { apiVersion, kind, request } = review;
    const reply = { apiVersion, kind, response: { uid: request["uid"], ...response } };
    return { status: 200, contentType: "application/json", body: JSON.stringify(reply) };
  }

  close(): void {
    this.closed = true;
  }
}

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

function serve(clock = new VirtualClock()): { readonly server: ApiServer; readonly webhooks: LocalWebhooks } {
  const store = new Store({ clock });
  const random = seededRandom(1);
  const webhooks = new LocalWebhooks();
  const admission = builtInAdmission({
    store,
    clock,
    random,
    serviceCidr: "10.0.0.0/24",
    webhooks,
    serviceAccounts: false,
  });
  const server = embeddedServer({ clock, random, store, admission, webhooks });
  servers.push(server);
  return { server, webhooks };
}

async function send(
  server: ApiServer,
  method: string,
  path: string,
  value?: object,
): Promise<{ status: number; body: Json }> {
  const { status, body } = await server.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers: { "content-type": "application/json" },
    ...(value === undefined ? {} : { body: { value } }),
  });
  return { status, body: body.kind === "object" ? { ...body.value } : {} };
}

const registration = "/apis/admissionregistration.k8s.io/v1";
const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };

async function configure(server: ApiServer, webhook: Json, name = "hooks"): Promise<void> {
  const common = {
    name: "w.test.example",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [everything],
    clientConfig: { url: "https://hook.example/path" },
  };
  const body = { metadata: { name }, webhooks: [{ ...common, ...webhook }] };
  expect((await send(server, "POST", `${registration}/validatingwebhookconfigurations`, body)).status).toBe(
    201,
  );
}

const namespaces = "/api/v1/namespaces";
const create = async (server: ApiServer, name = "a") =>
  send(server, "POST", namespaces, { metadata: { name } });

test("nobody is asked before there is a configuration, nor after it has gone", async () => {
  const { server, webhooks } = serve();
  await create(server, "a");
  expect(webhooks.asked).toEqual([]);
  await configure(server, {});
  await create(server, "b");
  expect(webhooks.asked).toHaveLength(1);
  await send(server, "DELETE", `${registration}/validatingwebhookconfigurations/hooks`);
  await create(server, "c");
  expect(webhooks.asked).toHaveLength(1);
  await server.close();
  expect(webhooks.closed).toBe(true);
});

test("who does not answer is given up after the time that the configuration gives", async () => {
  const clock = new VirtualClock();
  const { server, webhooks } = serve(clock);
  await configure(server, { timeoutSeconds: 7 });
  webhooks.answer = () => undefined;
  const asking = create(server);
  let isOver = false;
  void asking.then(() => {
    isOver = true;
  });
  await clock.advanceBy(6_900);
  expect(isOver).toBe(false);
  await clock.advanceBy(200);
  const { status, body } = await asking;
  expect([status, text(body, "message")]).toEqual([
    500,
    'Internal error occurred: failed calling webhook "w.test.example": failed to call webhook: Post "https://hook.example/path?timeout=7s": context deadline exceeded',
  ]);
});

test("only requests that meet all conditions are its business", async () => {
  const { server, webhooks } = serve();
  const matchConditions = [
    { name: "created", expression: "request.operation == 'CREATE' && oldObject == null" },
    { name: "named", expression: "object.metadata.name == 'a'" },
  ];
  await configure(server, { matchConditions });
  await create(server);
  expect(webhooks.asked).toHaveLength(1);
  await send(server, "DELETE", `${registration}/validatingwebhookconfigurations/hooks`);
  await configure(server, {
    matchConditions: [{ name: "other", expression: "object.metadata.name == 'b'" }],
  });
  expect((await create(server)).status).toBe(409);
  expect(webhooks.asked).toHaveLength(1);
});

test("conditions that cannot be evaluated count as a webhook that cannot be called", async () => {
  const { server, webhooks } = serve();
  const matchConditions = [{ name: "c", expression: "object.spec.size > 1" }];
  await configure(server, { matchConditions });
  const refused = await create(server);
  expect([refused.status, text(refused.body, "message")]).toEqual([
    403,
    `namespaces "a" is forbidden: expression 'object.spec.size > 1' resulted in error: no such key: size`,
  ]);
  await send(server, "DELETE", `${registration}/validatingwebhookconfigurations/hooks`);
  await configure(server, { matchConditions, failurePolicy: "Ignore" });
  expect((await create(server)).status).toBe(201);
  expect(webhooks.asked).toEqual([]);
});

test("what the server writes on its own account is nobody else's business", async () => {
  const { server, webhooks } = serve();
  const rules = [{ ...everything, resources: ["customresourcedefinitions/*", "things"] }];
  await configure(server, { rules });
  const group = "own.example.com";
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const schema = { openAPIV3Schema: { type: "object" } };
  const spec = {
    group,
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  };
  await send(server, "POST", definitions, { metadata: { name: `things.${group}` }, spec });
  const thing = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "t" } };
  expect((await send(server, "POST", `/apis/${group}/v1/things`, thing)).status).toBe(201);
  await send(server, "DELETE", `${definitions}/things.${group}`);
  const told = webhooks.asked.map(({ review }) => (review["request"] as Json)["operation"]);
  expect(told).toEqual(["CREATE", "CREATE", "DELETE"]);
});

test("a service is asked at one of its ready endpoints, under its own name", async () => {
  const { server, webhooks } = serve();
  await create(server, "shop");
  const service = { namespace: "shop", name: "hook", path: "/p", port: 8443 };
  await configure(server, {
    clientConfig: { service },
    rules: [{ ...everything, resources: ["configmaps"] }],
  });
  const configMaps = `${namespaces}/shop/configmaps`;
  const why = async (): Promise<string> => {
    const { body } = await send(server, "POST", configMaps, { metadata: { generateName: "cm-" } });
    return text(body, "message").replace(/^.*timeout=10s": /, "");
  };
  expect(await why()).toBe('service "hook" not found');
  const spec = { ports: [{ name: "https", port: 443 }] };
  await send(server, "POST", `${namespaces}/shop/services`, { metadata: { name: "hook" }, spec });
  expect(await why()).toBe('no service port 8443 found for service "hook"');
  const ports = [
    { name: "other", port: 443 },
    { name: "https", port: 8443 },
  ];
  const stored = await send(server, "GET", `${namespaces}/shop/services/hook`);
  const next = { ...stored.body, spec: { ...(stored.body["spec"] as Json), ports } };
  expect((await send(server, "PUT", `${namespaces}/shop/services/hook`, next)).status).toBe(200);
  expect(await why()).toBe('no endpoints available for service "hook"');
  const slices = `/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices`;
  const slice = (name: string, addressType: string, endpoints: readonly object[]) => ({
    metadata: { name, labels: { "kubernetes.io/service-name": "hook" } },
    addressType,
    ports: [
      { name: "https", port: 9443 },
      { name: "other", port: 9000 },
    ],
    endpoints,
  });
  const ready = (address: string, is: boolean) => ({ addresses: [address], conditions: { ready: is } });
  const unready = Array.from({ length: 20 }, (_, index) => ready(`10.1.2.${index + 1}`, false));
  for (const body of [
    slice("a", "IPv6", [ready("2001:db8::1", true)]),
    slice("b", "IPv4", [...unready, ready("10.1.1.2", true)]),
  ])
    expect((await send(server, "POST", slices, body)).status).toBe(201);
  expect(await why()).toBe("");
  const { url, host, port, serverName } = webhooks.asked[0]?.target ?? {};
  expect({ url: String(url), host, port, serverName }).toEqual({
    url: "https://hook.shop.svc:8443/p?timeout=10s",
    host: "10.1.1.2",
    port: 9443,
    serverName: "hook.shop.svc",
  });
});
