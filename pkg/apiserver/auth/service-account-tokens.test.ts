import { generateKeyPairSync } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiObject } from "../../api/object.ts";
import { seededRandom } from "../../clock/random.ts";
import { storeReader } from "../admission/cluster-reader.ts";
import { StatusError } from "../server/status-error.ts";
import { tokenSigner } from "../../tokens/token-signer.ts";
import { Store } from "../storage/store.ts";
import { dayOf, noteTokenUse } from "./note-token-use.ts";
import { ServiceAccountTokens } from "./service-account-tokens.ts";
import { TokenAuthenticator } from "./token-authenticator.ts";
import { requestToken, reviewToken } from "./token-reviews.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const issuer = "https://kubernetes.default.svc";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
let clock: VirtualClock;
let store: Store;
let tokens: ServiceAccountTokens;

function put(bucket: string, name: string, uid: string, rest: object = {}): ApiObject {
  const object = { metadata: { name, namespace: "a", uid }, ...rest };
  return store.put(bucket, `a/${name}`, store.get(bucket, `a/${name}`), object) ?? object;
}

async function request(body: object = {}): Promise<string> {
  const parts = { tokens, reader: storeReader(store), clock };
  const result = await requestToken(parts, "a", "robot", { spec: body });
  if (!("review" in result)) throw new Error(JSON.stringify(result.errors));
  return (result.review["status"] as { token: string }).token;
}

beforeEach(() => {
  clock = new VirtualClock();
  store = new Store({ clock });
  tokens = new ServiceAccountTokens({
    key: privateKey,
    issuer,
    clock,
    random: seededRandom(1),
    reader: storeReader(store),
    onSecretUse: (used) => noteTokenUse(store, clock, used),
  });
  put("serviceaccounts", "robot", "u1");
});

describe("a token of a service account", () => {
  test("stands for it until it expires", async () => {
    const token = await request({ expirationSeconds: 600 });
    const verified = await tokens.verify(token, [issuer]);
    expect(verified?.user).toMatchObject({
      username: "system:serviceaccount:a:robot",
      uid: "u1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    });
    await clock.advanceBy(601_000);
    expect(await tokens.verify(token, [issuer])).toBeUndefined();
  });

  test("is worth nothing when the account is another one", async () => {
    const token = await request();
    put("serviceaccounts", "robot", "u2");
    expect(await tokens.verify(token, [issuer])).toBeUndefined();
  });

  test("is for its audiences alone", async () => {
    const token = await request({ audiences: ["vault"] });
    expect(await tokens.verify(token, [issuer])).toBeUndefined();
    expect((await tokens.verify(token, ["vault", "other"]))?.audiences).toEqual(["vault"]);
  });

  test("dies with the pod that it is bound to", async () => {
    const pod = put("pods", "p", "u9", { spec: { serviceAccountName: "robot", containers: [] } });
    const token = await request({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p", uid: "u9" } });
    expect((await tokens.verify(token, [issuer]))?.user.extra).toMatchObject({
      "authentication.kubernetes.io/pod-name": ["p"],
    });
    store.remove("pods", "a/p", pod);
    expect(await tokens.verify(token, [issuer])).toBeUndefined();
  });

  test("is not issued for a pod of another account, or for less than ten minutes", async () => {
    put("pods", "p", "u9", { spec: { serviceAccountName: "other", containers: [] } });
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
    await expect(request({ boundObjectRef })).rejects.toThrow(StatusError);
    await expect(request({ expirationSeconds: 599 })).rejects.toThrow("less than 10 minutes");
  });
});

describe("who asks", () => {
  test("a static token, a service account's token, nobody, and a wrong token", async () => {
    const admin = { username: "root", groups: ["system:masters"] };
    const authenticator = new TokenAuthenticator({
      staticTokens: new Map([["secret", admin]]),
      serviceAccounts: tokens,
      anonymous: true,
    });
    const ask = async (authorization?: string) =>
      authenticator.authenticate(authorization === undefined ? {} : { authorization });
    expect(await ask("Bearer secret")).toEqual(admin);
    expect((await ask(`Bearer ${await request()}`))?.username).toBe("system:serviceaccount:a:robot");
    expect((await ask())?.username).toBe("system:anonymous");
    expect(await ask("Bearer wrong")).toBeUndefined();
  });

  test("a review of a token tells whose it is", async () => {
    const token = await request();
    const review = async (text: string) => reviewToken(tokens, { spec: { token: text } });
    expect(await review(token)).toMatchObject({
      review: {
        status: {
          authenticated: true,
          audiences: [issuer],
          user: { username: "system:serviceaccount:a:robot" },
        },
      },
    });
    expect(await review("x.y.z")).toMatchObject({ review: { status: { error: "invalid bearer token" } } });
  });
});

describe("a token in a Secret", () => {
  const claims = {
    iss: "kubernetes/serviceaccount",
    "kubernetes.io/serviceaccount/namespace": "a",
    "kubernetes.io/serviceaccount/secret.name": "robot-token",
    "kubernetes.io/serviceaccount/service-account.name": "robot",
    "kubernetes.io/serviceaccount/service-account.uid": "u1",
    sub: "system:serviceaccount:a:robot",
  };
  const token = tokenSigner(privateKey).sign(claims);
  const secret = (content: string, labels: object = {}): ApiObject =>
    put("secrets", "robot-token", "s1", {
      metadata: { name: "robot-token", namespace: "a", uid: "s1", labels },
      data: { token: Buffer.from(content).toString("base64") },
    });

  test("stands for its account, for ever", async () => {
    secret(token);
    await clock.advanceBy(1_000_000_000);
    const verified = await tokens.verify(token, [issuer, "other"]);
    expect(verified).toMatchObject({
      user: { username: "system:serviceaccount:a:robot", uid: "u1" },
      audiences: [issuer],
    });
  });

  test.each<[string, () => unknown]>([
    ["there is no such Secret", () => undefined],
    ["the Secret holds another one", () => secret("other")],
    [
      "the Secret is marked as invalid",
      () => secret(token, { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" }),
    ],
    ["the account is another one", () => [secret(token), put("serviceaccounts", "robot", "u2")]],
  ])("is worth nothing when %s", async (_, prepare) => {
    prepare();
    expect(await tokens.verify(token, [issuer])).toBeUndefined();
  });

  test.each<[string, Record<string, string>, boolean]>([
    ["is noted when it is used, by day", { [LAST_USED]: "2020-01-01" }, true],
    ["is noted when it is used for the first time", {}, true],
    ["is noted once a day", { [LAST_USED]: "TODAY" }, false],
    ["is left alone when a server ahead of this one has noted it", { [LAST_USED]: "TOMORROW" }, false],
    [
      "is noted although it is marked as invalid",
      { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" },
      true,
    ],
  ])("%s", async (_, labels, written) => {
    const days: Record<string, string> = {
      TODAY: dayOf(clock.nowMs()),
      TOMORROW: dayOf(clock.nowMs() + 86_400_000),
    };
    const stored = secret(
      token,
      Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, days[value] ?? value])),
    );
    await tokens.verify(token, [issuer]);
    const seen = store.get("secrets", "a/robot-token");
    if (written) expect(seen?.metadata.labels).toMatchObject({ [LAST_USED]: dayOf(clock.nowMs()) });
    else expect(seen).toBe(stored);
  });

  test("is worth nothing to others than the API server", async () => {
    secret(token);
    expect(await tokens.verify(token, ["other"])).toBeUndefined();
  });
});
