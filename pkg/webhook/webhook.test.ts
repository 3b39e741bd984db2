import { expect, test } from "vitest";
import type { Json } from "../api/json.ts";
import { resources } from "../api/resources.ts";
import { realClock } from "../clock/real.ts";
import { defineCrd } from "../crd/define-crd.ts";
import { silentLogger } from "../log/logger.ts";
import type { Admission } from "./admission.ts";
import { answerAdmission } from "./answer-admission.ts";
import { answerConversion } from "./answer-conversion.ts";
import { webhookConfigurations } from "./configurations.ts";
import { type AnyWebhook, type Hook, webhook } from "./webhook.ts";

const names = { group: "example.com", kind: "Website", scope: "Namespaced" } as const;
const Old = defineCrd({
  ...names,
  version: "v1",
  spec: { type: "object", properties: { host: { type: "string" } } },
});
const Website = defineCrd({
  ...names,
  version: "v2",
  spec: { type: "object", properties: { hosts: { type: "array", items: { type: "string" } } } },
}).convert(
  Old,
  ({ spec, metadata }) => ({ spec: { hosts: spec.host === undefined ? [] : [spec.host] }, metadata }),
  ({ spec, metadata }) => {
    const [host, ...more] = spec.hosts ?? [];
    if (host === undefined) throw new Error("it has no host");
    const annotations = { ...metadata.annotations, more: more.join() };
    return { spec: { host }, metadata: { ...metadata, uid: "another", annotations } };
  },
);
type Site = ReturnType<typeof Website.object>;

const object = (spec: object): Json => ({
  apiVersion: "example.com/v2",
  kind: "Website",
  metadata: { name: "a", namespace: "team" },
  spec,
});
const request = (change: Json = {}): Json => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u1",
    operation: "CREATE",
    name: "a",
    namespace: "team",
    userInfo: { username: "jane", groups: ["dev"], extra: { team: ["web"] } },
    object: object({ hosts: ["x"] }),
    oldObject: null,
    dryRun: false,
    ...change,
  },
});

async function ask(hook: Hook | undefined, review: unknown, isMutating = false): Promise<Json> {
  if (hook === undefined) throw new Error("there is no such webhook");
  const { signal } = new AbortController();
  const answer = await answerAdmission(hook, review, { log: silentLogger, signal, isMutating });
  expect(answer).toMatchObject({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
  return answer["response"] as Json;
}

const mutating = (change: (site: Site) => Site | undefined): Hook | undefined =>
  webhook(Website).mutate(change).mutating;
const validating = (look: (site: Site, admission: Admission<Site>) => void): Hook | undefined =>
  webhook(Website).validate(look).validating;
const patchIn = (response: Json): unknown =>
  JSON.parse(Buffer.from(String(response["patch"]), "base64").toString());

test("what is returned is answered as a patch", async () => {
  const hook = mutating((site) => ({ ...site, spec: { hosts: [...(site.spec.hosts ?? []), "y"] } }));
  const response = await ask(hook, request(), true);
  expect(response).toMatchObject({ uid: "u1", allowed: true, patchType: "JSONPatch" });
  expect(patchIn(response)).toEqual([{ op: "add", path: "/spec/hosts/1", value: "y" }]);
});

test("an object that is returned as it is needs no patch, and neither does nothing", async () => {
  const unchanged = { uid: "u1", allowed: true };
  expect(
    await ask(
      mutating((site) => ({ ...site })),
      request(),
      true,
    ),
  ).toEqual(unchanged);
  expect(
    await ask(
      mutating(() => undefined),
      request(),
      true,
    ),
  ).toEqual(unchanged);
});

test("a webhook that validates changes nothing, whatever it returns", async () => {
  const hook = validating((site) => ({ ...site, spec: {} }));
  expect(await ask(hook, request())).toEqual({ uid: "u1", allowed: true });
});

test("an object that is changed in place is an error, as the change would be lost", async () => {
  const hook = mutating((site) => Object.assign(site.spec, { hosts: [] }) as never);
  await expect(ask(hook, request(), true)).rejects.toThrow("read only");
});

test("a denial has its message, reason, code and causes", async () => {
  const causes = [{ field: "spec.hosts", message: "too many", reason: "FieldValueInvalid" }];
  const hook = validating((_, { deny }) => deny("no", { reason: "Invalid", code: 422, causes }));
  expect(await ask(hook, request())).toEqual({
    uid: "u1",
    allowed: false,
    status: { status: "Failure", message: "no", reason: "Invalid", code: 422, details: { causes } },
  });
  const plain = await ask(
    validating((_, { deny }) => deny("no")),
    request(),
  );
  expect(plain["status"]).toMatchObject({ reason: "Forbidden", code: 403 });
});

test("warnings and notes for the audit log go with both answers", async () => {
  const hook = validating((_, { warn, audit, deny, dryRun }) => {
    warn("beware");
    audit("looked", "yes");
    if (dryRun) deny("not dry");
  });
  const said = { warnings: ["beware"], auditAnnotations: { looked: "yes" } };
  expect(await ask(hook, request())).toMatchObject({ allowed: true, ...said });
  expect(await ask(hook, request({ dryRun: true }))).toMatchObject({ allowed: false, ...said });
});

test("a webhook is told who asks for what", async () => {
  let seen: Admission<Site> | undefined;
  const hook = validating((_, admission) => {
    seen = admission;
  });
  const oldObject = object({ hosts: ["old"] });
  await ask(hook, request({ operation: "UPDATE", oldObject, dryRun: true, subResource: "status" }));
  expect(seen).toMatchObject({
    operation: "UPDATE",
    name: "a",
    namespace: "team",
    subresource: "status",
    dryRun: true,
    before: oldObject,
    user: { username: "jane", groups: ["dev"], extra: { team: ["web"] } },
  });
});

test("of a deletion, the object that goes is looked at", async () => {
  const seen: unknown[] = [];
  const hook = validating((site) => void seen.push(site.spec));
  await ask(hook, request({ operation: "DELETE", object: null, oldObject: object({ hosts: ["old"] }) }));
  expect(seen).toEqual([{ hosts: ["old"] }]);
});

test.each<readonly [what: string, review: unknown, message: string]>([
  ["another kind", { ...request(), kind: "ConversionReview" }, "an AdmissionReview of admission.k8s.io/v1"],
  ["an old version", { ...request(), apiVersion: "admission.k8s.io/v1beta1" }, "an AdmissionReview of"],
  ["no request", { ...request(), request: undefined }, "no request with a uid"],
  ["no object", request({ object: null }), "about no object"],
  ["an object without metadata", request({ object: {} }), "no metadata"],
  ["an unknown operation", request({ operation: "LOOK" }), '"LOOK" is no operation'],
])("a review with %s is no question", async (_, review, message) => {
  await expect(
    ask(
      mutating(() => undefined),
      review,
    ),
  ).rejects.toMatchObject({ status: 400 });
  await expect(
    ask(
      mutating(() => undefined),
      review,
    ),
  ).rejects.toThrow(message);
});

async function convert(
  webhooks: readonly AnyWebhook[],
  version: string,
  ...objects: readonly Json[]
): Promise<Json> {
  const review = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "u2", desiredAPIVersion: `example.com/${version}`, objects },
  };
  const { signal } = new AbortController();
  const answer = await answerConversion(webhooks, review, { clock: realClock, signal });
  expect(answer).toMatchObject({ apiVersion: review.apiVersion, kind: review.kind });
  return answer["response"] as Json;
}

const stored = { ...object({ hosts: ["x", "y"] }), metadata: { name: "a", uid: "1", labels: { l: "v" } } };

test("objects are converted down, and keep their identity and labels", async () => {
  expect(await convert([webhook(Website)], "v1", stored)).toEqual({
    uid: "u2",
    result: { status: "Success" },
    convertedObjects: [
      {
        apiVersion: "example.com/v1",
        kind: "Website",
        metadata: { name: "a", uid: "1", labels: { l: "v" }, annotations: { more: "y" } },
        spec: { host: "x" },
      },
    ],
  });
});

test("objects are converted up, and those of the version are left as they are", async () => {
  const old = { ...object({ host: "x" }), apiVersion: "example.com/v1" };
  const { convertedObjects } = await convert([webhook(Website)], "v2", old, stored);
  expect(convertedObjects).toEqual([
    { ...old, apiVersion: "example.com/v2", spec: { hosts: ["x"] } },
    stored,
  ]);
});

test("two versions that are both not kept are converted by way of the one that is", async () => {
  const Third = defineCrd({
    ...names,
    version: "v3",
    spec: { type: "object", properties: { first: { type: "string" } } },
  });
  const three = webhook(Website).convert(
    Third,
    ({ spec }) => ({ spec: { hosts: [spec.first ?? ""] } }),
    ({ spec }) => ({ spec: { first: spec.hosts?.[0] ?? "" } }),
  );
  const { convertedObjects } = await convert([three], "v3", {
    ...object({ host: "x" }),
    apiVersion: "example.com/v1",
  });
  expect(convertedObjects).toMatchObject([{ apiVersion: "example.com/v3", spec: { first: "x" } }]);
  expect(() =>
    three.convert(
      Third,
      () => ({ spec: {} }),
      () => ({ spec: {} }),
    ),
  ).toThrow("converted already");
});

test("an object that cannot be converted fails all, and says which and why", async () => {
  const response = await convert([webhook(Website)], "v1", stored, object({ hosts: [] }));
  expect(response).toEqual({
    uid: "u2",
    convertedObjects: [],
    result: {
      status: "Failure",
      message: "Website team/a from example.com/v2 to example.com/v1: it has no host",
    },
  });
  const unknown = await convert([webhook(Website)], "v9", stored);
  expect(unknown["result"]).toMatchObject({
    message: expect.stringContaining("does not know example.com/v9") as string,
  });
  const stranger = await convert([webhook(Website)], "v1", { ...stored, kind: "Page" });
  expect(stranger["result"]).toMatchObject({
    message: expect.stringContaining("does not know the kind") as string,
  });
});

test("configurations say when to ask, and whom", () => {
  const hooks = webhook(Website)
    .mutate(() => undefined, { reinvocationPolicy: "IfNeeded", sideEffects: "NoneOnDryRun" })
    .validate(() => undefined, {
      operations: ["DELETE"],
      subresources: ["status"],
      failurePolicy: "Ignore",
      timeoutSeconds: 3,
      objectSelector: { matchLabels: { a: "b" } },
      namespaceSelector: { matchLabels: { c: "d" } },
      matchConditions: [{ name: "m", expression: "true" }],
    });
  const pods = webhook(resources.pods).validate(() => undefined);
  const address = { service: { namespace: "team", name: "hooks", port: 9_443 } };
  const { mutating, validating } = webhookConfigurations({
    name: "op",
    webhooks: [hooks, pods],
    address,
    caBundle: "Q0E=",
  });
  expect(mutating).toEqual({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "op" },
    webhooks: [
      {
        name: "mutate.v2.websites.example.com",
        admissionReviewVersions: ["v1"],
        clientConfig: {
          service: { ...address.service, path: "/mutate-example-com-v2-website" },
          caBundle: "Q0E=",
        },
        rules: [
          {
            apiGroups: ["example.com"],
            apiVersions: ["v2"],
            resources: ["websites"],
            operations: ["CREATE", "UPDATE"],
            scope: "Namespaced",
          },
        ],
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        sideEffects: "NoneOnDryRun",
        timeoutSeconds: 10,
        reinvocationPolicy: "IfNeeded",
      },
    ],
  });
  expect(validating?.webhooks).toMatchObject([
    {
      failurePolicy: "Ignore",
      timeoutSeconds: 3,
      objectSelector: { matchLabels: { a: "b" } },
      namespaceSelector: { matchLabels: { c: "d" } },
      matchConditions: [{ name: "m", expression: "true" }],
      rules: [{ resources: ["websites", "websites/status"], operations: ["DELETE"] }],
    },
    { name: "validate.v1.pods.core", clientConfig: { service: { path: "/validate--v1-pod" } } },
  ]);
  const nothing = webhookConfigurations({ name: "op", webhooks: [], address });
  expect(nothing).toEqual({ mutating: undefined, validating: undefined });
});

test("a second webhook of a sort is refused", () => {
  const hooks = webhook(Website).mutate(() => undefined);
  expect(() => hooks.mutate(() => undefined)).toThrow("Website has a mutating webhook already");
});
