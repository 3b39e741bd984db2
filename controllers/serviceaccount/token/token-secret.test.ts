import { asStored } from "../../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { AccountKey, SecretKey } from "./keys.ts";
import { filledSecret, isTokenOf, lacksOf, tokenClaims, withoutReference } from "./token-secret.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const account = asStored<ServiceAccount>({ metadata: { namespace: "team", name: "bot", uid: "u1" } });
const whole = asStored<Secret>({
  metadata: {
    namespace: "team",
    name: "bot-token",
    uid: "s1",
    annotations: {
      "kubernetes.io/service-account.name": "bot",
      "kubernetes.io/service-account.uid": "u1",
    },
  },
  type: "kubernetes.io/service-account-token",
  data: { "ca.crt": base64("CA"), namespace: base64("team"), token: base64("ABC") },
});

describe("a Secret", () => {
  test.each<[string, Secret["data"] | undefined, string]>([
    ["nothing", whole.data, ""],
    ["the CA", without("ca.crt"), "ca"],
    ["the CA, having another", { ...whole.data, "ca.crt": base64("other") }, "ca"],
    ["the namespace", without("namespace"), "namespace"],
    ["nothing, with a namespace of its own", { ...whole.data, namespace: base64("custom") }, ""],
    ["the token", without("token"), "token"],
    ["everything, having no data", undefined, "ca namespace token"],
    ["everything, having empty data", { token: "", namespace: "" }, "ca namespace token"],
  ])("lacks %s", (_, data, expected) => {
    const { data: _data, ...rest } = whole;
    const lacks = lacksOf({ ...rest, ...(data && { data }) }, "CA");
    expect(
      lacks &&
        Object.keys(lacks)
          .filter((key) => lacks[key as keyof typeof lacks])
          .join(" "),
    ).toBe(expected === "" ? undefined : expected);
  });

  test("lacks no CA where there is none to give", () => {
    expect(lacksOf({ ...whole, data: without("ca.crt") }, "")).toBeUndefined();
  });

  test("is filled with what it lacks and marked with its account, and keeps the rest", () => {
    const { annotations: _none, ...metadata } = whole.metadata;
    const empty: Secret = {
      ...whole,
      metadata: { ...metadata, annotations: { note: "mine" } },
      data: { other: base64("x") },
    };
    const lacks = { ca: true, namespace: true, token: true };
    expect(filledSecret(empty, account, lacks, { rootCa: "CA", token: "ABC" })).toEqual({
      ...whole,
      metadata: { ...metadata, annotations: { note: "mine", ...whole.metadata.annotations } },
      data: { other: base64("x"), ...whole.data },
    });
  });

  test.each<[string, Partial<Secret>, boolean]>([
    ["with its name and uid", {}, true],
    ["with its name and no uid yet", marked({ "kubernetes.io/service-account.name": "bot" }), true],
    [
      "with its name and another uid",
      marked({ "kubernetes.io/service-account.name": "bot", "kubernetes.io/service-account.uid": "u0" }),
      false,
    ],
    ["with another name", marked({ "kubernetes.io/service-account.name": "other" }), false],
    ["of another type", { type: "Opaque" }, false],
  ])("%s: token of the account or not", (_, change, expected) => {
    expect(isTokenOf({ ...whole, ...change }, { name: "bot", uid: "u1" })).toBe(expected);
  });
});

test("the claims name the account and the Secret, and nothing that changes with time", () => {
  expect(JSON.stringify(tokenClaims(account, "bot-token"))).toBe(
    JSON.stringify({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "team",
      "kubernetes.io/serviceaccount/secret.name": "bot-token",
      "kubernetes.io/serviceaccount/service-account.name": "bot",
      "kubernetes.io/serviceaccount/service-account.uid": "u1",
      sub: "system:serviceaccount:team:bot",
    }),
  );
});

test("an account loses the references to one Secret, and no others", () => {
  const secrets = [{ name: "a" }, { name: "b" }, { name: "a" }];
  expect(withoutReference({ ...account, secrets }, "a")?.secrets).toEqual([{ name: "b" }]);
  expect(withoutReference({ ...account, secrets }, "c")).toBeUndefined();
  expect(withoutReference(account, "a")).toBeUndefined();
});

describe("keys", () => {
  test("tell all that must be known of what is gone", () => {
    expect(new AccountKey(account)).toMatchObject({ namespace: "team", name: "bot", uid: "u1" });
    expect(new SecretKey(whole)).toMatchObject({
      namespace: "team",
      name: "bot-token",
      uid: "s1",
      account: { name: "bot", uid: "u1" },
    });
  });

  test("hold any annotation", () => {
    const odd = { ...whole, ...marked({ "kubernetes.io/service-account.name": "a/b %" }) };
    expect(new SecretKey(asStored(odd)).account).toEqual({ name: "a/b %", uid: "" });
  });

  test("name their objects in logs", () => {
    expect(String(new AccountKey(account))).toBe("team/bot/u1");
    expect(String(new SecretKey(whole))).toBe("team/bot-token/s1 of bot/u1");
  });
});

function without(key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(whole.data ?? {}).filter(([each]) => each !== key));
}

function marked(annotations: Readonly<Record<string, string>>): Pick<Secret, "metadata"> {
  return { metadata: { ...whole.metadata, annotations } };
}
