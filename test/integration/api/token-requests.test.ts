import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

describeApi("token requests", (api) => {
  let path = "";
  let uid = "";
  let podUid = "";
  beforeAll(async () => {
    const home = `/api/v1/namespaces/${await api().namespace()}`;
    path = `${home}/serviceaccounts/default/token`;
    uid = (await api().get(`${home}/serviceaccounts/default`)).body.metadata.uid;
    await api().send("POST", `${home}/serviceaccounts`, { metadata: { name: "other" } });
    const podOf = (name: string, serviceAccountName: string) => ({
      metadata: { name },
      spec: {
        serviceAccountName,
        automountServiceAccountToken: false,
        nodeName: "ghost",
        containers: [{ name: "c", image: "i" }],
      },
    });
    podUid = (await api().send("POST", `${home}/pods`, podOf("mine", "default"))).body.metadata.uid;
    await api().send("POST", `${home}/pods`, podOf("others", "other"));
  });

  const bound = (kind: string, name: string, more: object = {}) => ({
    spec: { boundObjectRef: { apiVersion: "v1", kind, name, ...more } },
  });
  const stillThere = "The object might have been deleted and then recreated";

  test("a token lives as long as asked for, and says whose it is", async () => {
    const made = await api().send("POST", path, { spec: { expirationSeconds: 1200, audiences: ["a"] } });
    expect([made.status, made.body.kind, made.body.metadata.uid]).toEqual([201, "TokenRequest", uid]);
    const { token, expirationTimestamp } = made.body.status as Readonly<Record<string, string>>;
    const claims = JSON.parse(Buffer.from(token?.split(".")[1] ?? "", "base64url").toString()) as {
      readonly aud: readonly string[];
      readonly exp: number;
      readonly iat: number;
    };
    expect([claims.aud, claims.exp - claims.iat]).toEqual([["a"], 1200]);
    expect(Math.abs(Date.parse(expirationTimestamp ?? "") / 1000 - claims.exp)).toBeLessThanOrEqual(1);
  });

  test.each([
    [
      { expirationSeconds: 1200, audiences: ["a"] },
      { "f:audiences": {}, "f:expirationSeconds": {} },
    ],
    [{}, { "f:expirationSeconds": {} }],
    [
      { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "mine" } },
      {
        "f:boundObjectRef": { "f:apiVersion": {}, "f:kind": {}, "f:name": {} },
        "f:expirationSeconds": {},
      },
    ],
  ])("of a request of %j the fields have an owner", async (spec, fields) => {
    const made = await api().send("POST", `${path}?fieldManager=tester`, { spec });
    const [{ time: _, ...entry } = {}, ...others] = made.body.metadata.managedFields ?? [];
    expect(others).toEqual([]);
    expect(entry).toEqual({
      manager: "tester",
      operation: "Update",
      apiVersion: "authentication.k8s.io/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": fields },
      subresource: "token",
    });
  });

  test("the token of a pod is bound to it", async () => {
    const made = await api().send("POST", path, bound("Pod", "mine", { uid: podUid }));
    expect([made.status, made.body.spec["boundObjectRef"]]).toMatchObject([201, { name: "mine" }]);
  });

  interface Refusal {
    readonly of: string;
    readonly body: object;
    readonly status: number;
    readonly message: string;
  }
  const invalid = (name: string, problem: string): Pick<Refusal, "status" | "message"> => ({
    status: 422,
    message: `TokenRequest.authentication.k8s.io "${name}" is invalid: ${problem}`,
  });
  const refusals: readonly Refusal[] = [
    {
      of: "another account",
      body: { metadata: { name: "x" }, spec: {} },
      ...invalid(
        "default",
        'metadata.name: Invalid value: "x": must match the service account name if specified',
      ),
    },
    {
      of: "another namespace",
      body: { metadata: { namespace: "x" }, spec: {} },
      status: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
    },
    {
      of: "ten seconds",
      body: { spec: { expirationSeconds: 10 } },
      ...invalid(
        "",
        "spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes",
      ),
    },
    {
      of: "more than a century",
      body: { spec: { expirationSeconds: 4_294_967_297 } },
      ...invalid(
        "",
        "spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
      ),
    },
    {
      of: "a pod of another account",
      body: bound("Pod", "others"),
      status: 400,
      message:
        'cannot bind token for serviceaccount "default" to pod running with different serviceaccount name.',
    },
    {
      of: "a pod that was",
      body: bound("Pod", "mine", { uid: "zz" }),
      status: 409,
      message: `Operation cannot be fulfilled on Pod "mine": the UID in the bound object reference (zz) does not match the UID in record. ${stillThere}`,
    },
    { of: "no pod", body: bound("Pod", "nope"), status: 404, message: 'pods "nope" not found' },
    { of: "no Secret", body: bound("Secret", "nope"), status: 404, message: 'secrets "nope" not found' },
    { of: "no node", body: bound("Node", "nope"), status: 404, message: 'nodes "nope" not found' },
    {
      of: "what no token is bound to",
      body: bound("ConfigMap", "x"),
      status: 400,
      message: "cannot bind token to object of type /v1, Kind=ConfigMap",
    },
  ];
  test.each(refusals)("a request of $of is refused", async ({ body, status, message }) => {
    const refused = await api().send("POST", path, body);
    expect([refused.status, refused.body.message]).toEqual([status, message]);
  });

  test("a request of an account that was is refused", async () => {
    const refused = await api().send("POST", path, { metadata: { uid: "x" }, spec: {} });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "default": the UID in the token request (x) does not match the UID of the service account (${uid})`,
    ]);
  });

  test("a review says of a token only what is known, and leaves the rest as it was sent", async () => {
    const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    const status = { authenticated: true, audiences: ["z"], user: { username: "sent", uid: "1" } };
    const unknown = await api().send("POST", reviews, { spec: { token: "x" }, status });
    const { error, ...left } = unknown.body.status as Readonly<Record<string, unknown>>;
    expect([unknown.status, typeof error, left]).toEqual([
      201,
      "string",
      { audiences: ["z"], user: { username: "sent", uid: "1" } },
    ]);
    const issued = await api().send("POST", path, { spec: { audiences: ["a"] } });
    const { token } = issued.body.status as Readonly<Record<string, string>>;
    const known = await api().send("POST", reviews, { spec: { token, audiences: ["a"] }, status });
    expect(known.body.status).toMatchObject({ authenticated: true, audiences: ["a"], user: { uid } });
  });
});
