import type { ApiObject } from "../../api/object.ts";
import type { TypedResource } from "../../api/resource.ts";
import { resources } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Clock } from "../../clock/clock.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { child, ensure, int64, type Json, setDefault, strings, text } from "../../api/json.ts";
import { badRequest, invalid, kindConflict, notFound } from "../server/status-error.ts";
import type { ReviewResult } from "./access-reviews.ts";
import type { ServiceAccountTokens, TokenGrant } from "./service-account-tokens.ts";

const longestExpirationSeconds = 2 ** 32;
const defaultExpirationSeconds = 3600;

/** Whose token is this? */
export async function reviewToken(tokens: ServiceAccountTokens, review: Json): Promise<ReviewResult> {
  const spec = child(review, "spec");
  const token = text(spec, "token");
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const asked = strings(spec, "audiences");
  const verified = await tokens.verify(token, asked.length === 0 ? [tokens.issuer] : asked);
  // What somebody has sent as status stays where nothing is known.
  const { authenticated: _, ...given } = child(review, "status") ?? {};
  if (verified === undefined) {
    return { review: { ...review, status: { user: {}, ...given, error: "invalid bearer token" } } };
  }
  const { audiences, user } = verified;
  return { review: { ...review, status: { ...given, authenticated: true, audiences, user } } };
}

export interface TokenRequestParts {
  readonly tokens: ServiceAccountTokens;
  readonly reader: ClusterReader;
  readonly clock: Clock;
}

export function setTokenRequestDefaults(request: Json): void {
  setDefault(ensure(request, "spec"), "expirationSeconds", defaultExpirationSeconds);
}

/** A token for the service account, for these audiences and this long. Throws a StatusError. */
export async function requestToken(
  parts: TokenRequestParts,
  namespace: string,
  name: string,
  request: Json,
): Promise<ReviewResult> {
  const { tokens, reader, clock } = parts;
  requireSameName(request, namespace, name);
  const account = reader.get(resources.serviceAccounts, namespace, name);
  if (account === undefined) throw notFound(resources.serviceAccounts, name);
  requireSameUid(request, name, account);
  const spec = child(request, "spec");
  const audiences = strings(spec, "audiences");
  const expirationSeconds = int64(spec, "expirationSeconds") ?? defaultExpirationSeconds;
  const errors = new FieldErrors();
  const path = "spec.expirationSeconds";
  if (expirationSeconds < 600) {
    errors.invalid(path, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > longestExpirationSeconds) {
    errors.invalid(path, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
  if (errors.list.length > 0) return { errors: errors.list };
  const lifetimeSeconds = Number(expirationSeconds);
  const granted = audiences.length === 0 ? [tokens.issuer] : audiences;
  const bound = boundObjects(reader, namespace, name, child(spec, "boundObjectRef"));
  const nowMs = clock.nowMs();
  const token = await tokens.issue({
    account,
    audiences: granted,
    expirationSeconds: lifetimeSeconds,
    ...bound,
  });
  const { uid = "" } = account.metadata;
  return {
    review: {
      ...request,
      metadata: { name, namespace, uid, creationTimestamp: formatTime(nowMs) },
      spec: {
        ...spec,
        audiences: granted,
        expirationSeconds,
        boundObjectRef: spec?.["boundObjectRef"] ?? null,
      },
      status: { token, expirationTimestamp: formatTime(nowMs + lifetimeSeconds * 1000) },
    },
  };
}

const tokenRequest = { group: "authentication.k8s.io", kind: "TokenRequest" };

/** What the request says of its account, it need not say. */
function requireSameName(request: Json, namespace: string, name: string): void {
  const metadata = child(request, "metadata");
  const given = { namespace: text(metadata, "namespace"), name: text(metadata, "name") };
  if (given.namespace !== "" && given.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (given.name === "" || given.name === name) return;
  const errors = new FieldErrors();
  errors.invalid("metadata.name", given.name, "must match the service account name if specified");
  throw invalid(tokenRequest, name, errors.list);
}

function requireSameUid(request: Json, name: string, account: ApiObject): void {
  const given = text(child(request, "metadata"), "uid");
  const { uid = "" } = account.metadata;
  if (given === "" || given === uid) return;
  throw kindConflict(
    tokenRequest,
    name,
    `the UID in the token request (${given}) does not match the UID of the service account (${uid})`,
  );
}

const bindable: Readonly<Record<string, TypedResource<ApiObject>>> = {
  Pod: resources.pods,
  Secret: resources.secrets,
  Node: resources.nodes,
};

function boundObjects(
  reader: ClusterReader,
  namespace: string,
  accountName: string,
  reference: Json | undefined,
): Pick<TokenGrant, "pod" | "secret" | "node"> {
  if (reference === undefined) return {};
  const kind = text(reference, "kind");
  const name = text(reference, "name");
  const home = bindable[kind];
  if (home === undefined || text(reference, "apiVersion") !== "v1") {
    const version = text(reference, "apiVersion");
    const groupVersion = version.includes("/") ? version : `/${version}`;
    throw badRequest(`cannot bind token to object of type ${groupVersion}, Kind=${kind}`);
  }
  const object = reader.get(home, home.namespaced ? namespace : "", name);
  if (object === undefined) throw notFound(home, name);
  const uid = text(reference, "uid");
  if (uid !== "" && uid !== object.metadata.uid) {
    throw kindConflict(
      { group: "", kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (kind === "Secret") return { secret: object };
  if (kind === "Node") return { node: object };
  const pod = reader.get(resources.pods, namespace, name);
  if (pod?.spec?.serviceAccountName !== accountName) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
    );
  }
  const node =
    pod.spec.nodeName === undefined ? undefined : reader.get(resources.nodes, "", pod.spec.nodeName);
  return node === undefined ? { pod } : { pod, node };
}
