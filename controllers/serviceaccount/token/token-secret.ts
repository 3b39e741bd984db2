import type { StoredObject } from "../../../pkg/api/object.ts";
import type { PartOf } from "../../../pkg/api/projected.ts";
import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";

export const TOKEN_SECRET_TYPE = "kubernetes.io/service-account-token";
/** Which Secrets are listed and watched to have those that hold tokens, and no others. */
export const TOKEN_SECRETS = { fieldSelector: `type=${TOKEN_SECRET_TYPE}` } as const;
export const ACCOUNT_NAME = "kubernetes.io/service-account.name";
export const ACCOUNT_UID = "kubernetes.io/service-account.uid";

/** What tells the account of a Secret. */
export const ACCOUNT_FIELDS = [
  `metadata.annotations[${ACCOUNT_NAME}]`,
  `metadata.annotations[${ACCOUNT_UID}]`,
] as const;
type OfAccount = PartOf<Secret, (typeof ACCOUNT_FIELDS)[number]>;

/** What a Secret for a token may lack. */
export const CONTENT_FIELDS = ["data[ca.crt]", "data.namespace", "data.token"] as const;

const CA_KEY = "ca.crt";
const NAMESPACE_KEY = "namespace";
const TOKEN_KEY = "token";

/** Of tokens in Secrets; API servers know them by it. */
const ISSUER = "kubernetes/serviceaccount";

/** The account that a Secret names; the uid is "" until the Secret has been filled for the first time. */
export function accountNamedBy({ metadata }: OfAccount): { readonly name: string; readonly uid: string } {
  const { annotations = {} } = metadata;
  return { name: annotations[ACCOUNT_NAME] ?? "", uid: annotations[ACCOUNT_UID] ?? "" };
}

/** Whether the Secret holds a token of this very account. */
export function isTokenOf(
  secret: OfAccount & Pick<Secret, "type">,
  account: { readonly name: string; readonly uid: string },
): boolean {
  const { name, uid } = accountNamedBy(secret);
  return secret.type === TOKEN_SECRET_TYPE && name === account.name && (uid === "" || uid === account.uid);
}

/** What a Secret lacks. A namespace of somebody's own choice is left alone, another CA is not. */
export interface Lacks {
  readonly ca: boolean;
  readonly namespace: boolean;
  readonly token: boolean;
}

/** Undefined when nothing is missing. `rootCa` is PEM; with "" Secrets may hold any or none. */
export function lacksOf(
  { data = {} }: PartOf<Secret, (typeof CONTENT_FIELDS)[number]>,
  rootCa: string,
): Lacks | undefined {
  const lacks = {
    ca: rootCa !== "" && data[CA_KEY] !== base64(rootCa),
    namespace: !data[NAMESPACE_KEY],
    token: !data[TOKEN_KEY],
  };
  return lacks.ca || lacks.namespace || lacks.token ? lacks : undefined;
}

/** The Secret with what it lacks and the mark of the account; all else stays. */
export function filledSecret(
  secret: Secret,
  account: StoredObject,
  lacks: Lacks,
  parts: { readonly rootCa: string; readonly token: string },
): Secret {
  const { metadata } = secret;
  const marks = { [ACCOUNT_NAME]: account.metadata.name, [ACCOUNT_UID]: account.metadata.uid };
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...marks } },
    data: {
      ...secret.data,
      ...(lacks.ca && { [CA_KEY]: base64(parts.rootCa) }),
      ...(lacks.namespace && { [NAMESPACE_KEY]: base64(metadata.namespace ?? "") }),
      ...(lacks.token && { [TOKEN_KEY]: base64(parts.token) }),
    },
  };
}

/**
 * What the token of a Secret says. There is no time in it, so the same Secret gets the same claims, in the same order,
 * and with an RSA key the same token, from every controller manager.
 */
export function tokenClaims(account: StoredObject, secretName: string): Readonly<Record<string, string>> {
  const { namespace = "", name, uid } = account.metadata;
  return {
    iss: ISSUER,
    "kubernetes.io/serviceaccount/namespace": namespace,
    "kubernetes.io/serviceaccount/secret.name": secretName,
    "kubernetes.io/serviceaccount/service-account.name": name,
    "kubernetes.io/serviceaccount/service-account.uid": uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** The account without its references to a Secret; undefined when it has none. */
export function withoutReference(account: ServiceAccount, secretName: string): ServiceAccount | undefined {
  const { secrets = [] } = account;
  const kept = secrets.filter(({ name }) => name !== secretName);
  return kept.length === secrets.length ? undefined : { ...account, secrets: kept };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
