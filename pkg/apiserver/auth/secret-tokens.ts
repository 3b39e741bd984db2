import type { JWTPayload } from "jose";
import { resources } from "../../api/resources.ts";
import type { Secret, ServiceAccount } from "../../api/types/core-v1.gen.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";

/** Of tokens that a controller puts into Secrets. They know no time and no audience: the Secret is their life. */
export const SECRET_TOKEN_ISSUER = "kubernetes/serviceaccount";

const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const PREFIX = "kubernetes.io/serviceaccount/";

export interface SecretTokenHolder {
  readonly namespace: string;
  readonly serviceaccount: { readonly name: string; readonly uid: string };
}

/**
 * Whom a token of a Secret stands for, its signature having been checked. Undefined: nobody, or nobody any more.
 * `onUse` hears of every Secret whose token was shown, also of one that is marked as invalid.
 */
export function secretTokenHolder(
  reader: ClusterReader,
  token: string,
  payload: JWTPayload,
  onUse: (secret: Secret) => void,
): SecretTokenHolder | undefined {
  const claim = (name: string): string => {
    const value = payload[PREFIX + name];
    return typeof value === "string" ? value : "";
  };
  const namespace = claim("namespace");
  const account = { name: claim("service-account.name"), uid: claim("service-account.uid") };
  const secret = reader.get<Secret>(resources.secrets, namespace, claim("secret.name"));
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined;
  if (secret.data?.["token"] !== Buffer.from(token).toString("base64")) return undefined;
  const holder = reader.get<ServiceAccount>(resources.serviceAccounts, namespace, account.name);
  if (holder?.metadata.uid !== account.uid || holder.metadata.deletionTimestamp !== undefined)
    return undefined;
  onUse(secret);
  if (secret.metadata.labels?.[INVALID_SINCE]) return undefined;
  return { namespace, serviceaccount: account };
}
