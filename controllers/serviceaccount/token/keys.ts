import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { accountNamedBy } from "./token-secret.ts";

/** What is to be known of an account that may be gone by the time that it is looked at. */
export interface AccountKey {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The same of a Secret, with the account that it named; that one's uid may be "". */
export interface SecretKey extends AccountKey {
  readonly account: { readonly name: string; readonly uid: string };
}

/** As text, so that equal keys are one key in a queue; the namespace comes first, by which keys take turns. */
export function accountKey({ metadata }: ServiceAccount): string {
  return join([metadata.namespace, metadata.name, metadata.uid]);
}

export function secretKey(secret: Secret): string {
  const { namespace, name, uid } = secret.metadata;
  const account = accountNamedBy(secret);
  return join([namespace, name, uid, account.name, account.uid]);
}

export function parseAccountKey(key: string): AccountKey {
  const [namespace = "", name = "", uid = ""] = split(key);
  return { namespace, name, uid };
}

export function parseSecretKey(key: string): SecretKey {
  const [, , , name = "", uid = ""] = split(key);
  return { ...parseAccountKey(key), account: { name, uid } };
}

/** Annotations can hold any text. */
function join(parts: readonly (string | undefined)[]): string {
  return parts.map((part = "") => encodeURIComponent(part)).join("/");
}

function split(key: string): readonly string[] {
  return key.split("/").map(decodeURIComponent);
}
