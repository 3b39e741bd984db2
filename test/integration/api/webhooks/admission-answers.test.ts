import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { describeApi } from "../api-client.ts";
import {
  add,
  calling,
  denied,
  failing,
  internal,
  invalid,
  patches,
  raw,
  refusals,
  respond,
  review,
  told,
  type Told,
} from "./answer-cases.ts";
import { allow, type Decide, type Hook, type Json, patching, rule, WebhookStage } from "./webhook-stage.ts";

describeApi("answers of webhooks", (api) => {
  let stage: WebhookStage;
  beforeAll(async () => {
    stage = await WebhookStage.open(api());
  });
  afterAll(async () => stage.stop());

  const own = { rules: [rule(["configmaps"], ["CREATE"])], objectSelector: { matchLabels: { own: "yes" } } };
  const create = async (): Promise<Told & { readonly data: unknown; readonly warnings: unknown }> => {
    const metadata = { name: "f", labels: { own: "yes" } };
    const { status, body, headers } = await api().send("POST", stage.configMaps, {
      metadata,
      data: { a: "b" },
    });
    if (status === 201) await api().send("DELETE", `${stage.configMaps}/${body.metadata.name}`);
    const { reason, data, details } = body;
    const message = (body.message ?? "").replace(/uid="[0-9a-f-]{36}"/, 'uid="UID"');
    return { status, message, reason, data, details, warnings: headers["warning"] };
  };
  const outcome = async (sort: "mutating" | "validating", hook: Hook): ReturnType<typeof create> => {
    let result: Awaited<ReturnType<typeof create>> | undefined;
    await stage.during(sort, [{ ...own, ...hook }], async () => {
      result = await create();
    });
    if (result === undefined) throw new Error("nothing was created");
    return result;
  };

  for (const sort of ["mutating", "validating"] as const) {
    test.each(refusals)(`${sort}: %s`, async (_, decide, expected) => {
      expect(await outcome(sort, { decide })).toMatchObject(expected);
    });

    test(`${sort}: those that cannot be called may be left out`, async () => {
      const answers = [raw("x", 500), raw(""), review({}, "v1beta1"), respond({ allowed: true, uid: "x" })];
      for (const decide of answers)
        expect(await outcome(sort, { decide, failurePolicy: "Ignore" })).toMatchObject({ status: 201 });
      const refused = await outcome(sort, { decide: respond({ allowed: false }), failurePolicy: "Ignore" });
      expect(refused.status).toBe(400);
    });

    test(`${sort}: warnings come with admissions and refusals, each once`, async () => {
      const admitted = await outcome(sort, {
        decide: respond({ allowed: true, warnings: ["one", "two", "one", ""] }),
      });
      expect(admitted).toMatchObject({ status: 201, warnings: '299 - "one", 299 - "two"' });
      const refused = await outcome(sort, { decide: respond({ allowed: false, warnings: ["one"] }) });
      expect(refused).toMatchObject({ status: 400, warnings: '299 - "one"' });
    });

    test(`${sort}: what does not answer in time, is not there or cannot be trusted`, async () => {
      const { url, caBundle } = stage.clientConfig("/x");
      const { port } = stage.server;
      const post = (where: string, seconds = 10): string => `${calling}Post "${where}?timeout=${seconds}s": `;
      const late = await outcome(sort, { decide: () => ({ raw: undefined }), timeoutSeconds: 1 });
      expect(late.message).toMatch(/^Internal error .*\?timeout=1s": context deadline exceeded$/);
      const cases = [
        [
          { url: "https://127.0.0.1:1/x" },
          `${post("https://127.0.0.1:1/x")}dial tcp 127.0.0.1:1: connect: connection refused`,
        ],
        [
          { url },
          `${post(String(url))}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
        ],
        [
          { url, caBundle: Buffer.from("nonsense").toString("base64") },
          `${failing}could not get REST client: unable to load root certificates: unable to parse bytes as PEM block`,
        ],
        [
          { service: { namespace: stage.namespace, name: "missing", path: "/p" }, caBundle },
          `${post(`https://missing.${stage.namespace}.svc:443/p`)}service "missing" not found`,
        ],
        [
          { url: `https://localhost:${port}/none`, caBundle },
          `${calling}the server could not find the requested resource`,
        ],
      ] as const;
      for (const [clientConfig, message] of cases)
        expect(await outcome(sort, { clientConfig })).toMatchObject(internal(message));
    });

    test(`${sort}: those that are trusted by their own certificate, at a path with too many slashes`, async () => {
      const { certificate: caBundle } = stage.server;
      const url = stage.server.url("//refuse/");
      const refused = await outcome(sort, { clientConfig: { url, caBundle } });
      expect(refused).toMatchObject(told(400, `${denied} without explanation`));
    });

    test(`${sort}: reviews of the first version that both know`, async () => {
      const decide: Decide = () => ({ raw: { body: { response: { allowed: false } } } });
      const refused = await outcome(sort, { decide, admissionReviewVersions: ["v2", "v1beta1", "v1"] });
      expect(refused).toMatchObject(told(400, `${denied} without explanation`));
    });
  }

  test.each(patches)("a patch %s", async (_, decide, expected) => {
    const result = await outcome("mutating", { decide });
    if ("message" in expected) expect(result).toMatchObject(expected);
    else expect([result.status, result.data]).toEqual([201, expected]);
  });

  test("patches of identity and ownership", async () => {
    const path = "/metadata/managedFields";
    const spoiled = await outcome("mutating", {
      decide: () => patching([{ op: "add", path, value: [{ manager: "x" }] }]),
    });
    expect(spoiled).toMatchObject({ status: 201 });
    expect(spoiled.warnings).toContain(
      ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating " +
        "admission controller; please fix your requests: operation must be `Apply` or `Update`",
    );
    const renaming = [
      { ...own, decide: () => patching([{ op: "replace", path: "/metadata/name", value: "other" }]) },
    ];
    await stage.during("mutating", renaming, async () => {
      const body = { metadata: { name: "f", labels: { own: "yes" } } };
      const made = await api().send("POST", stage.configMaps, body);
      expect([made.status, made.body.metadata.name]).toEqual([201, "other"]);
      await api().send("DELETE", `${stage.configMaps}/other`);
    });
  });

  test("those that validate may not patch", async () => {
    const typed = { ...patching([add]).response };
    expect(await outcome("validating", { decide: respond(typed) })).toMatchObject(
      internal(`${invalid}validating webhook may not return response.patch`),
    );
    expect(
      await outcome("validating", { decide: respond({ allowed: true, patchType: "JSONPatch" }) }),
    ).toMatchObject(internal(`${invalid}validating webhook may not return response.patchType`));
  });

  test("what is deleted cannot be patched", async () => {
    await api().send("POST", stage.configMaps, { metadata: { name: "gone", labels: { own: "yes" } } });
    const hook = { ...own, rules: [rule(["configmaps"], ["DELETE"])], decide: () => patching([add]) };
    await stage.during("mutating", [hook], async () => {
      const { status, body } = await api().send("DELETE", `${stage.configMaps}/gone`);
      expect([status, body.message]).toEqual([
        500,
        'Internal error occurred: admission webhook "w0.test.example" attempted to modify the object, which is not supported for this operation',
      ]);
    });
  });

  test("an object that is patched gets its defaults", async () => {
    const probe = {
      op: "add",
      path: "/spec/containers/0/readinessProbe",
      value: { exec: { command: ["x"] } },
    };
    const hook = { rules: [rule(["pods"], ["CREATE"])], decide: () => patching([probe]) };
    await stage.during("mutating", [hook], async () => {
      const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
      const made = await api().send("POST", `/api/v1/namespaces/${stage.namespace}/pods`, body);
      const [container] = (made.body.spec as { containers: readonly { readonly readinessProbe: Json }[] })
        .containers;
      expect(container?.readinessProbe).toMatchObject({ periodSeconds: 10, failureThreshold: 3 });
      await api().send("DELETE", `/api/v1/namespaces/${stage.namespace}/pods/p?gracePeriodSeconds=0`);
    });
  });

  test("a service that has a name of its own elsewhere is asked there, and must prove to be itself", async () => {
    const services = `/api/v1/namespaces/${stage.namespace}/services`;
    const spec = { type: "ExternalName", externalName: "localhost", ports: [{ port: stage.server.port }] };
    await api().send("POST", services, { metadata: { name: "hook" }, spec });
    const { caBundle } = stage.clientConfig("/x");
    const service = { namespace: stage.namespace, name: "hook", path: "/refuse", port: stage.server.port };
    const { message } = await outcome("validating", { clientConfig: { service, caBundle } });
    expect(message).toContain(
      `tls: failed to verify certificate: x509: certificate is valid for localhost, hook.shop.svc, not hook.${stage.namespace}.svc`,
    );
    await api().send("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    await api().send("POST", "/api/v1/namespaces/shop/services", { metadata: { name: "hook" }, spec });
    await until("the service is known", async () => {
      const asked = await outcome("validating", {
        clientConfig: { service: { ...service, namespace: "shop" }, caBundle },
      });
      return asked.message === `${denied} without explanation`;
    });
  });

  test("nobody is asked about the webhooks themselves", async () => {
    const rules = [rule(["*"], ["*"], { apiGroups: ["admissionregistration.k8s.io"] })];
    const hook = { rules, namespaceSelector: {}, decide: respond({ allowed: false }) };
    await stage.during("validating", [hook], async ({ seen }) => {
      const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
      const made = await api().send("POST", path, { metadata: { name: "another" }, webhooks: [] });
      expect(made.status).toBe(201);
      const deleted = await api().send("DELETE", `${path}/another`);
      expect([deleted.status, seen.length]).toEqual([200, 0]);
    });
  });

  test("a webhook without side effects in a dry run is asked in one, and told so", async () => {
    await stage.during(
      "validating",
      [{ ...own, decide: allow, sideEffects: "NoneOnDryRun" }],
      async ({ seen }) => {
        const body = { metadata: { name: "f", labels: { own: "yes" } } };
        const made = await api().send("POST", `${stage.configMaps}?dryRun=All`, body);
        expect([made.status, seen[0]?.["dryRun"]]).toEqual([201, true]);
      },
    );
  });
});
