import { beforeAll, describe, expect, test } from "vitest";
import { realClock } from "../../../pkg/clock/real.ts";
import { encodePem } from "../../../pkg/pki/pem.ts";
import { requestDer, requestField, type WantedRequest } from "../../harness/certificate-requests.ts";
import { authorityPair } from "../../harness/signing-files.ts";
import { until } from "../../harness/until.ts";
import { type Answer, type ApiClient, type Body, describeApi } from "./api-client.ts";

const group = "certificates.k8s.io";
const csrs = `/apis/${group}/v1/certificatesigningrequests`;
const bundles = `/apis/${group}/v1beta1/clustertrustbundles`;
const rbac = "rbac.authorization.k8s.io";
const FLAGS = [
  "--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true",
  `--runtime-config=${group}/v1beta1=true`,
];
const { cert } = authorityPair({ nowMs: realClock.nowMs() });
const USAGES = ["digital signature", "key encipherment"];

interface Asked extends WantedRequest {
  readonly signerName?: string;
  readonly request?: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
}

const asked = (name: string, wanted: Asked = {}): object => ({
  metadata: { name },
  spec: {
    signerName: wanted.signerName ?? "example.com/something",
    request: wanted.request ?? requestField(wanted),
    usages: wanted.usages ?? USAGES,
    ...(wanted.expirationSeconds !== undefined && { expirationSeconds: wanted.expirationSeconds }),
  },
});

const as =
  (api: () => ApiClient, user: string) =>
  async (...[method, path, body]: Parameters<ApiClient["send"]>): Promise<Answer> =>
    api().send(method, path, body, { "impersonate-user": user });

/** The user may do this with signers of these names, and write what that takes. */
async function grant(api: () => ApiClient, user: string, verb: string, signer: string): Promise<void> {
  const rules = [
    { verbs: [verb], apiGroups: [group], resources: ["signers"], resourceNames: [signer] },
    {
      verbs: ["create", "update", "get"],
      apiGroups: [group],
      resources: [
        "clustertrustbundles",
        "certificatesigningrequests/approval",
        "certificatesigningrequests/status",
        "podcertificaterequests/status",
      ],
    },
  ];
  await api().send("POST", `/apis/${rbac}/v1/clusterroles`, { metadata: { name: user }, rules });
  await api().send("POST", `/apis/${rbac}/v1/clusterrolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: user },
    subjects: [{ kind: "User", name: user, apiGroup: rbac }],
  });
  const resourceAttributes = { verb, group, resource: "signers", name: signer };
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes },
  };
  await until(`${user} may ${verb}`, async () => {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return ((await api().send("POST", path, review)).body.status as { allowed: boolean }).allowed;
  });
}

const SIGNERS: readonly (readonly [allowed: string, verdict: "admits" | "denies"])[] = [
  ["example.com/something", "admits"],
  ["example.com/*", "admits"],
  ["example.com/not-something", "denies"],
];

const condition = (type: string): object => ({
  type,
  status: "True",
  reason: "Test",
  message: "said by a test",
});
const statusOf = (body: Body): Record<string, unknown> => body.status as Record<string, unknown>;

describeApi(
  "requests for certificates",
  (api) => {
    // upstream: test/integration/certificates/admission_approval_test.go, admission_sign_test.go
    describe.each([
      ["approve", "approval", { conditions: [condition("Approved")] }],
      ["sign", "status", { certificate: Buffer.from(`Leading\n${cert}Trailing\n`).toString("base64") }],
    ] as const)("to %s them", (verb, subresource, change) => {
      test("whoever may do everything needs no other permission", async () => {
        const { body } = await api().send("POST", csrs, asked(`${verb}-everybody`));
        const changed = { ...body, status: { ...statusOf(body), ...change } };
        const path = `${csrs}/${verb}-everybody/${subresource}?dryRun=All`;
        expect((await api().send("PUT", path, changed)).status).toBe(200);
        expect(statusOf((await api().get(`${csrs}/${verb}-everybody`)).body)).toEqual({});
      });

      test.each(SIGNERS)(`a permission for %s %s`, async (allowed, verdict) => {
        const name = `${verb}-${allowed.replaceAll(/[^a-z]/g, "-")}-x`;
        await grant(api, name, verb, allowed);
        const { body } = await api().send("POST", csrs, asked(name));
        const changed = { ...body, status: { ...statusOf(body), ...change } };
        const answer = await as(api, name)("PUT", `${csrs}/${name}/${subresource}`, changed);
        expect(answer.status).toBe(verdict === "admits" ? 200 : 403);
        if (verdict === "denies")
          expect(answer.body.message).toBe(
            `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: user not permitted to ${verb} requests with signerName "example.com/something"`,
          );
      });
    });

    // upstream: test/integration/certificates/admission_subjectrestriction_test.go
    test("no client becomes an administrator", async () => {
      const wanted = { signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };
      const masters = asked("masters", { ...wanted, organizations: ["devs", "system:masters"] });
      const refused = await api().send("POST", csrs, masters);
      expect(refused.status).toBe(403);
      expect(refused.body.message).toBe(
        'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
      );
      const others = asked("not-masters", { ...wanted, organizations: ["system:notmasters"] });
      expect((await api().send("POST", csrs, others)).status).toBe(201);
    });

    // upstream: test/integration/certificates/field_selector_test.go
    test("they are listed by their signer", async () => {
      for (const [name, signerName] of [
        ["field-1", "example.com/signer-name-1"],
        ["field-2", "example.com/signer-name-2"],
        ["field-3", "example.com/signer-name-2"],
      ] as const)
        await api().send("POST", csrs, asked(name, { signerName }));
      const of = async (signer: string): Promise<readonly string[]> => {
        const { body } = await api().get(`${csrs}?fieldSelector=spec.signerName%3Dexample.com%2F${signer}`);
        return body.items.map(({ metadata }) => metadata.name);
      };
      expect(await of("signer-name-1")).toEqual(["field-1"]);
      expect(await of("signer-name-2")).toEqual(["field-2", "field-3"]);
    });

    const pem = (type: string, der: Buffer): string => Buffer.from(encodePem(type, der)).toString("base64");
    test.each<[string, Asked, string]>([
      ["no PEM", { request: Buffer.from("garbage").toString("base64") }, "spec.request"],
      ["another block", { request: pem("CERTIFICATE", requestDer({})) }, "spec.request"],
      ["an old block", { request: pem("NEW CERTIFICATE REQUEST", requestDer({})) }, "spec.request"],
      ["no DER", { request: pem("CERTIFICATE REQUEST", Buffer.from("junk")) }, "spec.request"],
      ["a wrong signature", { broken: true }, "spec.request"],
      [
        "something behind it",
        { request: pem("CERTIFICATE REQUEST", Buffer.concat([requestDer({}), Buffer.of(5, 0)])) },
        "spec.request",
      ],
      ["a URI that is none", { uris: ["http://a%zz/"] }, "spec.request"],
      ["no usages", { usages: [] }, "spec.usages"],
      ["a usage that means nothing", { usages: ["client auth", "signig"] }, "spec.usages[1]"],
      ["a usage twice", { usages: ["client auth", "client auth"] }, "spec.usages[1]"],
      ["the signer of old", { signerName: "kubernetes.io/legacy-unknown" }, "spec.signerName"],
      ["no signer", { signerName: "" }, "spec.signerName"],
      ["a signer without a domain", { signerName: "something" }, "spec.signerName"],
      ["a signer of one label", { signerName: "example/something" }, "spec.signerName"],
      ["a signer of capitals", { signerName: "Example.com/something" }, "spec.signerName"],
      ["a signer of two parts", { signerName: "example.com/some/thing" }, "spec.signerName"],
      // upstream: test/integration/certificates/duration_test.go#TestCSRDuration
      ["too little time", { expirationSeconds: 599 }, "spec.expirationSeconds"],
      ["three minutes", { expirationSeconds: 180 }, "spec.expirationSeconds"],
      ["less than no time", { expirationSeconds: -420 }, "spec.expirationSeconds"],
    ])("%s is refused", async (_, wanted, field) => {
      const { status, body } = await api().send("POST", csrs, asked("refused", wanted));
      expect(status).toBe(422);
      const causes = (body.details["causes"] ?? []) as readonly { readonly field: string }[];
      expect([...new Set(causes.map((cause) => cause.field))]).toEqual([field]);
    });

    test.each<[string, Asked]>([
      ["the least time", { expirationSeconds: 600 }],
      [
        "text around it",
        {
          request: Buffer.from(`a\n${encodePem("CERTIFICATE REQUEST", requestDer({}))}b`).toString("base64"),
        },
      ],
      [
        "every kind of name",
        { dnsNames: ["a"], emailAddresses: ["a@b"], ipAddresses: ["10.0.0.1"], uris: ["urn:a:b"] },
      ],
    ])("%s is taken", async (what, wanted) => {
      const name = what.replaceAll(/[^a-z]/g, "").slice(0, 20);
      expect((await api().send("POST", csrs, asked(name, wanted))).status).toBe(201);
    });

    test("who asks is noted, whatever the request says of it, and nothing is approved from the start", async () => {
      const given = asked("noted") as { spec: object };
      const body = {
        ...given,
        spec: { ...given.spec, username: "forged", groups: ["forged"], uid: "forged" },
        status: { conditions: [condition("Approved")] },
      };
      await grant(api, "noted-user", "nothing", "example.com/x");
      await api().send("POST", `/apis/${rbac}/v1/clusterroles`, {
        metadata: { name: "makes-requests" },
        rules: [{ verbs: ["create"], apiGroups: [group], resources: ["certificatesigningrequests"] }],
      });
      await api().send("POST", `/apis/${rbac}/v1/clusterrolebindings`, {
        metadata: { name: "makes-requests" },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "makes-requests" },
        subjects: [{ kind: "User", name: "noted-user", apiGroup: rbac }],
      });
      let made: Answer | undefined;
      await until("the request is made", async () => {
        made = await api().send("POST", csrs, body, {
          "impersonate-user": "noted-user",
          "impersonate-group": "some:group",
          "impersonate-extra-scopes": "one",
        });
        return made.status === 201;
      });
      expect(made?.body.spec).toMatchObject({
        username: "noted-user",
        groups: ["some:group", "system:authenticated"],
        extra: { scopes: ["one"] },
      });
      expect(made?.body.spec["uid"]).toBeUndefined();
      expect(statusOf(made?.body as Body)).toEqual({});
    });

    test("what is asked for, a decision and a certificate cannot be changed any more", async () => {
      const { body } = await api().send("POST", csrs, asked("fixed"));
      const renamed = { ...body, spec: { ...body.spec, signerName: "example.com/other" } };
      const kept = await api().send("PUT", `${csrs}/fixed`, renamed);
      expect(kept.body.spec["signerName"]).toBe("example.com/something");
      const put = async (subresource: string, before: Body, status: object): Promise<Answer> =>
        api().send("PUT", `${csrs}/fixed/${subresource}`, { ...before, status });

      // Through /status nobody decides, and through /approval nobody signs.
      expect((await put("status", kept.body, { conditions: [condition("Approved")] })).status).toBe(422);
      const certificate = Buffer.from(cert).toString("base64");
      const approved = await put("approval", kept.body, { conditions: [condition("Approved")], certificate });
      expect(approved.status).toBe(200);
      expect(statusOf(approved.body)).not.toHaveProperty("certificate");
      const both = [condition("Approved"), condition("Denied")];
      expect((await put("approval", approved.body, { conditions: both })).status).toBe(422);
      expect((await put("approval", approved.body, { conditions: [] })).status).toBe(422);

      const { conditions } = statusOf(approved.body);
      for (const wrong of [
        "junk",
        encodePem("CERTIFICATE", Buffer.from("junk")),
        encodePem("PRIVATE KEY", Buffer.of(5, 0)),
      ]) {
        const given = { conditions, certificate: Buffer.from(wrong).toString("base64") };
        const refused = await put("status", approved.body, given);
        expect(refused.status, wrong).toBe(422);
      }
      const signed = await put("status", approved.body, { conditions, certificate });
      expect(signed.status).toBe(200);
      const other = Buffer.from(authorityPair({ nowMs: realClock.nowMs() }).cert).toString("base64");
      expect((await put("status", signed.body, { conditions, certificate: other })).status).toBe(422);
      const failed = [...(conditions as object[]), condition("Failed")];
      expect((await put("status", signed.body, { conditions: failed, certificate })).status).toBe(200);
    });
  },
  FLAGS,
);

describeApi(
  "cluster trust bundles",
  (api) => {
    const bundle = (name: string, signerName?: string, trustBundle = cert): object => ({
      metadata: { name },
      spec: { ...(signerName !== undefined && { signerName }), trustBundle },
    });

    // upstream: test/integration/clustertrustbundles/admission_establishtrust_test.go
    test.each([
      ["foo.com/bar", "foo.com:bar:v1", 201],
      ["foo.com/*", "foo.com:bar:v2", 201],
      ["foo.com/other", "foo.com:bar:v3", 403],
    ])("who may attest for %s may do it as %s: %s", async (allowed, name, expected) => {
      const user = `attests-${name.slice(-2)}`;
      await grant(api, user, "attest", allowed);
      const answer = await as(api, user)("POST", bundles, bundle(name, "foo.com/bar"));
      expect(answer.status).toBe(expected);
      if (expected === 403)
        expect(answer.body.message).toBe(
          `clustertrustbundles.certificates.k8s.io "${name}" is forbidden: user not permitted to attest for signerName "foo.com/bar"`,
        );
    });

    test("a bundle of no signer takes no permission to attest", async () => {
      await grant(api, "attests-nothing", "attest", "foo.com/bar");
      const answer = await as(api, "attests-nothing")("POST", bundles, bundle("of-nobody"));
      expect(answer.status).toBe(201);
    });

    // upstream: test/integration/clustertrustbundles/signer_name_change_forbidden_test.go
    test.each<[string, string | undefined, string | undefined]>([
      ["change", undefined, "foo.com/change"],
      ["foo.com:change:v1", "foo.com/change", undefined],
      ["foo.com:change:v2", "foo.com/change", "foo.com/change2"],
    ])("the signer of the bundle %s cannot be changed from %s to %s", async (name, before, after) => {
      const made = await api().send("POST", bundles, bundle(name, before));
      expect(made.status).toBe(201);
      const { signerName: _, ...spec } = made.body.spec;
      const changed = {
        ...made.body,
        spec: { ...spec, ...(after !== undefined && { signerName: after }) },
      };
      expect((await api().send("PUT", `${bundles}/${name}`, changed)).status).toBe(422);
    });

    // upstream: test/integration/clustertrustbundles/field_selector_test.go
    test("bundles are listed by their signer", async () => {
      for (const [name, signer] of [
        ["list.com:bar:v1", "list.com/bar"],
        ["list.com:bar:v2", "list.com/bar"],
        ["list.com:baz:v1", "list.com/baz"],
      ] as const)
        await api().send("POST", bundles, bundle(name, signer));
      const of = async (signer: string): Promise<readonly string[]> => {
        const { body } = await api().get(`${bundles}?fieldSelector=spec.signerName%3Dlist.com%2F${signer}`);
        return body.items.map(({ metadata }) => metadata.name);
      };
      expect(await of("bar")).toEqual(["list.com:bar:v1", "list.com:bar:v2"]);
      expect(await of("baz")).toEqual(["list.com:baz:v1"]);
    });

    const leaf = (): string => encodePem("CERTIFICATE", Buffer.from("junk"));
    test.each<[string, object, string]>([
      ["a signer without its name", bundle("other:v1", "foo.com/bar"), "metadata.name"],
      ["a colon without a signer", bundle("a:b"), "metadata.name"],
      ["no certificate", bundle("none", undefined, "nothing"), "spec.trustBundle"],
      ["a certificate that is none", bundle("junk", undefined, leaf()), "spec.trustBundle"],
      [
        "another block",
        bundle("key", undefined, encodePem("PRIVATE KEY", Buffer.of(5, 0))),
        "spec.trustBundle",
      ],
      ["a certificate twice", bundle("twice", undefined, cert + cert), "spec.trustBundle"],
    ])("%s is refused", async (_, object, field) => {
      const { status, body } = await api().send("POST", bundles, object);
      expect(status).toBe(422);
      const causes = (body.details["causes"] ?? []) as readonly { readonly field: string }[];
      expect([...new Set(causes.map((cause) => cause.field))]).toEqual([field]);
    });
  },
  FLAGS,
);

describeApi(
  "requests for certificates of pods",
  (api) => {
    let path = "";
    beforeAll(async () => {
      path = `/apis/${group}/v1beta1/namespaces/${await api().namespace()}/podcertificaterequests`;
    });
    const podRequest = (name: string, changes: object = {}): object => ({
      metadata: { name },
      spec: {
        signerName: "foo.com/abc",
        podName: "pod-1",
        podUID: "pod-uid-1",
        serviceAccountName: "sa-1",
        serviceAccountUID: "sa-uid-1",
        nodeName: "node-1",
        nodeUID: "node-uid-1",
        maxExpirationSeconds: 86_400,
        stubPKCS10Request: requestDer({}).toString("base64"),
        ...changes,
      },
    });

    test("they are made, and nothing of them can be changed", async () => {
      const made = await api().send("POST", path, podRequest("fixed"));
      expect(made.status).toBe(201);
      const changed = { ...made.body, spec: { ...made.body.spec, podName: "pod-2" } };
      expect((await api().send("PUT", `${path}/fixed`, changed)).status).toBe(422);
      const { body } = await api().get(`${path}?fieldSelector=spec.nodeName%3Dnode-1`);
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["fixed"]);
    });

    test("they are for a day where nothing is said", async () => {
      const made = await api().send("POST", path, podRequest("plain", { maxExpirationSeconds: undefined }));
      expect(made.body.spec["maxExpirationSeconds"]).toBe(86_400);
    });

    test.each<[string, object, string]>([
      ["no key", { stubPKCS10Request: "" }, "spec"],
      [
        "a key that nobody shows to have",
        { stubPKCS10Request: requestDer({ broken: true }).toString("base64") },
        "spec.stubPKCS10Request",
      ],
      [
        "what is no request",
        { stubPKCS10Request: Buffer.from("junk").toString("base64") },
        "spec.stubPKCS10Request",
      ],
      ["too little time", { maxExpirationSeconds: 3_599 }, "spec.maxExpirationSeconds"],
      ["too much time", { maxExpirationSeconds: 91 * 86_400 + 1 }, "spec.maxExpirationSeconds"],
      [
        "too much time of Kubernetes",
        { signerName: "kubernetes.io/a", maxExpirationSeconds: 86_401 },
        "spec.maxExpirationSeconds",
      ],
      ["a pod without uid", { podUID: "" }, "spec.podUID"],
      ["a signer that is none", { signerName: "abc" }, "spec.signerName"],
    ])("%s is refused", async (_, changes, field) => {
      const { status, body } = await api().send("POST", path, podRequest("refused", changes));
      expect(status).toBe(422);
      const causes = (body.details["causes"] ?? []) as readonly { readonly field: string }[];
      expect([...new Set(causes.map((cause) => cause.field))]).toEqual([field]);
    });

    test("who may sign for the signer answers them, once", async () => {
      const { body } = await api().send("POST", path, podRequest("answered"));
      await grant(api, "signs-pods", "sign", "foo.com/abc");
      await grant(api, "signs-others", "sign", "foo.com/abcd");
      const lastTransitionTime = "2026-01-01T00:00:00Z";
      const conditions = [{ ...condition("Denied"), lastTransitionTime }];
      const answered = { ...body, status: { conditions } };
      const refused = await as(api, "signs-others")("PUT", `${path}/answered/status`, answered);
      expect([refused.status, refused.body.reason]).toEqual([422, "Invalid"]);
      const empty = { ...body, status: { conditions, certificateChain: cert } };
      expect((await as(api, "signs-pods")("PUT", `${path}/answered/status`, empty)).status).toBe(422);
      const denied = await as(api, "signs-pods")("PUT", `${path}/answered/status`, answered);
      expect(denied.status).toBe(200);
      const again = {
        ...denied.body,
        status: { conditions: [{ ...condition("Failed"), lastTransitionTime }] },
      };
      expect((await as(api, "signs-pods")("PUT", `${path}/answered/status`, again)).status).toBe(422);
    });
  },
  FLAGS,
);
