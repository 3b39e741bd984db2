import type { ApiObject } from "../../../pkg/api/object.ts";
import { inArea, type Scenario, type Step, type Target } from "../scenario.ts";
import { create } from "./objects.ts";

const CA = "configMaps/kube-root-ca.crt";
const gone = (target: Target): Step => ({ do: "until gone", target });
const exists = (target: Target): Step => ({ do: "until present", target, path: "metadata.name" });
const remove = (target: Target): Step => ({ do: "delete", target });

const TYPE = "kubernetes.io/service-account-token";
const account: ApiObject = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "bot" } };

/** What every namespace gets. */
export const fresh: readonly Step[] = [exists("serviceAccounts/default"), exists(CA)];

function token(annotations: Readonly<Record<string, string>> = {}): Step {
  const metadata = {
    name: "token",
    annotations: { "kubernetes.io/service-account.name": "bot", ...annotations },
  };
  return create({ apiVersion: "v1", kind: "Secret", metadata, type: TYPE } as ApiObject);
}

const filled: Step = { do: "until present", target: "secrets/token", path: "data.token" };
const withToken: readonly Step[] = [...fresh, create(account), token(), filled];

function strip(name: string): Step {
  return { do: "patch", target: "secrets/token", body: { data: { [name]: null } } };
}

function changeCa(data: unknown): Step {
  return { do: "patch", target: CA, body: { data } };
}

/** Service accounts, their tokens, and the root CA. */
export const accounts: readonly Scenario[] = inArea("accounts", [
  { name: "account-and-ca-of-a-namespace", steps: fresh },
  {
    name: "account-comes-again",
    steps: [...fresh, remove("serviceAccounts/default"), exists("serviceAccounts/default")],
  },
  { name: "account-with-a-token", steps: withToken },
  {
    name: "account-that-goes-takes-its-token",
    steps: [...withToken, remove("serviceAccounts/bot"), gone("secrets/token")],
  },
  {
    name: "account-forgets-a-token-that-went",
    steps: [
      ...withToken,
      {
        do: "patch",
        target: "serviceAccounts/bot",
        body: { secrets: [{ name: "token" }, { name: "other" }] },
      },
      remove("secrets/token"),
      { do: "until", target: "serviceAccounts/bot", holds: { "secrets.0.name": "other" } },
    ],
  },
  { name: "token-of-no-account", steps: [...fresh, token(), gone("secrets/token")] },
  {
    name: "token-of-an-account-that-was",
    steps: [
      ...fresh,
      create(account),
      token({ "kubernetes.io/service-account.uid": "another" }),
      gone("secrets/token"),
    ],
  },
  { name: "token-without-its-value", steps: [...withToken, strip("token"), filled] },
  {
    name: "token-without-ca-and-namespace",
    steps: [
      ...withToken,
      strip("ca.crt"),
      strip("namespace"),
      { do: "until present", target: "secrets/token", path: "data.namespace" },
    ],
  },
  {
    name: "ca-changed",
    steps: [
      ...fresh,
      changeCa({ "ca.crt": "mine", more: "stays?" }),
      { do: "until", target: CA, holds: { "data.more": undefined } },
    ],
  },
  {
    name: "ca-without-data",
    steps: [...fresh, changeCa(null), { do: "until present", target: CA, path: "data[ca.crt]" }],
  },
  {
    name: "ca-comes-again",
    steps: [...fresh, remove(CA), exists(CA)],
  },
]);
