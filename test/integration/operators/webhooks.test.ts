import { request as httpsRequest } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientsOf } from "../../harness/admin-client.ts";
import { freePorts } from "../../harness/real-cluster.ts";
import { servers, type TestServer } from "../../harness/servers.ts";
import { until } from "../../harness/until.ts";
import type { Json } from "../../../pkg/api/json.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { ApiError } from "../../../pkg/client/errors.ts";
import type { ObjectOf } from "../../../pkg/crd/crd.ts";
import { defineCrd } from "../../../pkg/crd/define-crd.ts";
import { installCrds } from "../../../pkg/crd/install-crds.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { clientConfigOf } from "../../../pkg/webhook/configurations.ts";
import { webhook } from "../../../pkg/webhook/webhook.ts";
import { WebhookServer } from "../../../pkg/webhook/webhook-server.ts";

const names = { group: "hooks.example.com", kind: "Website", scope: "Namespaced" } as const;
const namespace = "default";
const Old = defineCrd({
  ...names,
  version: "v1",
  spec: { type: "object", properties: { host: { type: "string" } } },
});
const Website = defineCrd({
  ...names,
  version: "v2",
  spec: {
    type: "object",
    properties: {
      hosts: { type: "array", items: { type: "string" } },
      mode: { type: "string", default: "Safe" },
    },
  },
}).convert(
  Old,
  ({ spec }) => ({ spec: { hosts: spec.host === undefined ? [] : [spec.host], mode: "Old" } }),
  ({ spec }) => ({ spec: { host: spec.hosts?.[0] ?? "" } }),
);
type Website = ObjectOf<typeof Website>;

const seen: { readonly operation: string; readonly dryRun: boolean; readonly user: string }[] = [];
const hooks = webhook(Website)
  .mutate(
    ({ spec, ...site }) => {
      if (spec.hosts?.includes("slow") === true) return new Promise<Website>(() => undefined);
      if (spec.hosts?.includes("broken") === true) throw new Error("it is broken");
      return { ...site, spec: { ...spec, hosts: spec.hosts?.map((host) => host.toLowerCase()) ?? ["none"] } };
    },
    { timeoutSeconds: 2 },
  )
  .validate(
    ({ spec }, { operation, dryRun, user, warn, deny, before }) => {
      seen.push({ operation, dryRun, user: user.username });
      if (spec.hosts?.includes("localhost") === true)
        deny("nobody finds it", { reason: "Invalid", code: 422 });
      if (operation === "DELETE" && spec.hosts?.includes("kept") === true) deny("it is to be kept");
      if (before !== undefined && before.spec.mode !== spec.mode) warn("the mode is another");
    },
    { operations: ["CREATE", "UPDATE", "DELETE"] },
  );

describe.each(servers)("webhooks of authors ($name)", ({ start }) => {
  let server: TestServer;
  let builder: ClientBuilder;
  let client: ClientSet;
  let port: number;
  let hooked: WebhookServer;
  const stop = new AbortController();
  let ended: Promise<void>;

  const serve = (name: string, listen: number, install: boolean): WebhookServer =>
    new WebhookServer({
      name,
      webhooks: [hooks],
      client,
      clock: realClock,
      log: silentLogger,
      metrics: noMetrics,
      namespace,
      address: { url: `https://127.0.0.1:${port}` },
      listen: { host: "127.0.0.1", port: listen },
      install,
    });

  beforeAll(async () => {
    server = await start();
    builder = await clientsOf(server.kubeconfig);
    client = builder.client("test");
    [port = 0] = await freePorts(1);
    const address = { url: `https://127.0.0.1:${port}` };
    await installCrds(client, [Website], { conversionWebhook: clientConfigOf(address, "/convert") });
    hooked = serve("author", port, true);
    ended = hooked.run(stop.signal);
    await until("the webhooks are ready", () => hooked.lacks.length === 0);
    await until("the webhooks are asked", async () => {
      const made = await attempt({ hosts: ["localhost"] }, "probe");
      return made instanceof ApiError && made.message.includes("nobody finds it");
    });
  });
  afterAll(async () => {
    stop.abort(new Error("the test is over"));
    await ended;
    await builder.close();
    await server.stop();
  });

  const website = (name: string, spec: Json): Website =>
    ({
      apiVersion: "hooks.example.com/v2",
      kind: "Website",
      metadata: { name, namespace },
      spec,
    }) as unknown as Website;
  const create = async (name: string, spec: Json, options = {}): Promise<Website> =>
    client.clientFor(Website).create(website(name, spec), options);
  const attempt = async (spec: Json, name = "attempt"): Promise<unknown> =>
    create(name, spec).catch((error: unknown) => error);

  test("the object is stored as the webhook returned it", async () => {
    const made = await create("mutated", { hosts: ["A.Example"] });
    expect(made.spec).toEqual({ hosts: ["a.example"], mode: "Safe" });
    expect((await create("filled", {})).spec.hosts).toEqual(["none"]);
  });

  test("a denial is told to whoever asked, with its reason and code", async () => {
    const error = await attempt({ hosts: ["LOCALHOST"] });
    expect(error).toMatchObject({
      code: 422,
      reason: "Invalid",
      message:
        'admission webhook "validate.v2.websites.hooks.example.com" denied the request: nobody finds it',
    });
  });

  test("a dry run is told as one, and so is who asks", async () => {
    seen.length = 0;
    await create("dry", { hosts: ["x"] }, { dryRun: true });
    expect(seen).toEqual([{ operation: "CREATE", dryRun: true, user: "admin" }]);
  });

  test("a deletion can be denied", async () => {
    await create("kept", { hosts: ["kept"] });
    const deleting = client.clientFor(Website).delete({ namespace, name: "kept" });
    await expect(deleting).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining("it is to be kept") as string,
    });
  });

  test("a warning reaches whoever asked", async () => {
    await create("warned", { hosts: ["x"] });
    const path = `/apis/hooks.example.com/v2/namespaces/${namespace}/websites/warned`;
    const { status, headers } = await server.request(
      "PATCH",
      path,
      { spec: { mode: "Fast" } },
      { "content-type": "application/merge-patch+json" },
    );
    expect([status, headers["warning"]]).toEqual([200, '299 - "the mode is another"']);
  });

  test("a webhook that fails, or takes too long, is no denial: the policy decides", async () => {
    expect(await attempt({ hosts: ["broken"] })).toMatchObject({
      code: 500,
      message: expect.stringMatching(
        /failed calling webhook .*: failed to call webhook: it is broken/,
      ) as string,
    });
    expect(await attempt({ hosts: ["slow"] })).toMatchObject({
      code: 500,
      message: expect.stringMatching(
        /failed calling webhook .*(deadline exceeded|took longer than 2000 ms|unable to return a response)/,
      ) as string,
    });
  });

  test("objects are served and stored in both versions", async () => {
    await create("both", { hosts: ["a", "b"] });
    const old = await client.clientFor(Old).get({ namespace, name: "both" });
    expect([old.apiVersion, old.spec]).toEqual(["hooks.example.com/v1", { host: "a" }]);
    const draft = { metadata: { name: "old", namespace }, spec: { host: "OLD" } };
    await client.clientFor(Old).create(Old.object(draft));
    const made = await client.clientFor(Website).get({ namespace, name: "old" });
    // It was converted before it was mutated.
    expect(made.spec).toEqual({ hosts: ["old"], mode: "Old" });
    const listed = await client.clientFor(Old).list({ namespace });
    expect(listed.items.map(({ apiVersion }) => apiVersion)).toContain("hooks.example.com/v1");
  });

  test("another replica has the same authority, and changes nothing of what is installed", async () => {
    const configurations = client.clientFor(resources.validatingWebhookConfigurations);
    const before = await configurations.get({ name: "author" });
    const ending = new AbortController();
    const other = serve("author", 0, false);
    const running = other.run(ending.signal);
    await until("the other is ready", () => other.port > 0 && other.lacks.length === 0);
    const after = await configurations.get({ name: "author" });
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    const caBundle = after.webhooks?.[0]?.clientConfig.caBundle ?? "";
    const answer = await call(other.port, caBundle, { method: "GET", path: "/readyz" });
    expect(answer.status).toBe(200);
    ending.abort(new Error("enough"));
    await running;
  });

  test("certificates are put into what was installed by others, and put back", async () => {
    const configurations = client.clientFor(resources.mutatingWebhookConfigurations);
    const { webhooks = [] } = await configurations.get({ name: "author" });
    const bare = webhooks.map((entry) => ({
      ...entry,
      clientConfig: { ...entry.clientConfig, caBundle: "" },
    }));
    await configurations.create({ metadata: { name: "by-hand" }, webhooks: bare });
    const ending = new AbortController();
    const other = serve("by-hand", 0, false);
    const running = other.run(ending.signal);
    await until("it is said what is missing", () => other.lacks.join().includes("by-hand is not installed"));
    const filled = await configurations.get({ name: "by-hand" });
    expect(filled.webhooks?.[0]?.clientConfig.caBundle).toMatch(/^LS0t/);
    expect(other.lacks).toEqual([
      "validatingwebhookconfigurations.admissionregistration.k8s.io/by-hand is not installed",
    ]);
    await configurations.delete({ name: "by-hand" });
    ending.abort(new Error("enough"));
    await running;
  });

  test.each<readonly [what: string, asked: Partial<Call>, status: number, message: string]>([
    ["another path", { path: "/elsewhere" }, 404, "there is no webhook at /elsewhere"],
    ["another method", { method: "PUT" }, 405, "reviews are posted"],
    ["another type", { type: "text/plain" }, 415, "application/json"],
    ["no JSON", { body: "{" }, 400, "the review is no JSON"],
    ["no review", { body: "[]" }, 400, "an AdmissionReview of admission.k8s.io/v1 is expected"],
    ["too much", { body: `"${"x".repeat(8 << 20)}"` }, 413, "7340032 bytes at most"],
  ])("%s is refused", async (_, asked, status, message) => {
    const { webhooks = [] } = await client
      .clientFor(resources.mutatingWebhookConfigurations)
      .get({ name: "author" });
    const answer = await call(port, webhooks[0]?.clientConfig.caBundle ?? "", {
      path: "/mutate-hooks-example-com-v2-website",
      ...asked,
    });
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(message)]);
  });
});

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string;
}

async function call(
  port: number,
  caBundle: string,
  { path, method = "POST", type = "application/json", body = "{}" }: Call,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const ca = Buffer.from(caBundle, "base64").toString();
    const options = { port, host: "127.0.0.1", path, method, ca, headers: { "content-type": type } };
    const sent = httpsRequest(options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    // A body that is too long need not be read to its end.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
    });
    sent.end(method === "GET" ? undefined : body);
  });
}
