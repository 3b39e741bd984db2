import type { KeyObject } from "node:crypto";
import { resources } from "../api/resources.ts";
import type { Secret } from "../api/types/core-v1.gen.ts";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import { type ClusterReader, storeReader } from "./admission/cluster-reader.ts";
import {
  type ReviewResult,
  reviewOwnAccess,
  reviewOwnRules,
  reviewSelf,
  reviewSubjectAccess,
} from "./auth/access-reviews.ts";
import { noteTokenUse } from "./auth/note-token-use.ts";
import { RbacAuthorizer } from "./auth/rbac-authorizer.ts";
import { ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import { TokenAuthenticator } from "./auth/token-authenticator.ts";
import { requestToken, reviewToken, setTokenRequestDefaults } from "./auth/token-reviews.ts";
import {
  type Authenticator,
  type Authorizer,
  everybodyIsAdmin,
  everythingIsAllowed,
} from "./server/access.ts";
import { invalid, type NamedKind } from "./server/status-error.ts";
import type { VirtualCreate, VirtualHandlers } from "./server/virtual-handlers.ts";
import type { Store } from "./storage/store.ts";

export interface AccessControlOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** An RSA key that signs the tokens of service accounts; without it there are none. */
  readonly serviceAccountKey?: KeyObject;
  /** Everybody is the administrator. */
  readonly insecure: boolean;
}

export interface AccessControl {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly virtual: VirtualHandlers;
  /** Roles and bindings; undefined where they decide nothing. */
  readonly rbac: RbacAuthorizer | undefined;
}

const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** Who is who and who may do what, and the resources by which that is asked. */
export function accessControl(options: AccessControlOptions): AccessControl {
  const { store, clock, insecure, serviceAccountKey: key } = options;
  const reader = storeReader(store);
  const onSecretUse = (secret: Secret): void => noteTokenUse(store, clock, secret);
  const tokens =
    key === undefined
      ? undefined
      : new ServiceAccountTokens({ ...options, key, reader, issuer: ISSUER, onSecretUse });
  const rbac = new RbacAuthorizer(reader);
  const virtual = { ...reviewHandlers(rbac, clock), ...tokenHandlers(tokens, reader, clock) };
  if (insecure)
    return { authenticator: everybodyIsAdmin, authorizer: everythingIsAllowed, virtual, rbac: undefined };
  const authenticator = new TokenAuthenticator({
    anonymous: true,
    ...(tokens === undefined ? {} : { serviceAccounts: tokens }),
  });
  return { authenticator, authorizer: rbac, virtual, rbac };
}

function reviewHandlers(rbac: RbacAuthorizer, clock: Clock): VirtualHandlers {
  return {
    "authorization.k8s.io/subjectaccessreviews": async ({ body, resource }) =>
      answered(unnamed(resource), "", reviewSubjectAccess(rbac, body, undefined)),
    "authorization.k8s.io/localsubjectaccessreviews": async ({ body, resource, namespace }) =>
      answered(unnamed(resource), "", reviewSubjectAccess(rbac, body, namespace)),
    "authorization.k8s.io/selfsubjectaccessreviews": async ({ body, resource, user }) =>
      answered(unnamed(resource), "", reviewOwnAccess(rbac, body, user)),
    "authorization.k8s.io/selfsubjectrulesreviews": async ({ body, resource, user }) =>
      answered(resource, "", reviewOwnRules(rbac, body, user)),
    "authentication.k8s.io/selfsubjectreviews": async ({ resource, user }) =>
      answered(resource, "", reviewSelf(user, clock.nowMs())),
  };
}

/** What is wrong with an access review is told without its kind. */
function unnamed({ group }: NamedKind): NamedKind {
  return { group, kind: "" };
}

function tokenHandlers(
  tokens: ServiceAccountTokens | undefined,
  reader: ClusterReader,
  clock: Clock,
): VirtualHandlers {
  if (tokens === undefined) return {};
  const answer = async ({ parent, namespace, body }: VirtualCreate): Promise<object> => {
    const name = parent?.metadata.name ?? "";
    return answered(tokenRequest, "", await requestToken({ tokens, reader, clock }, namespace, name, body));
  };
  const request = Object.assign(answer, { setDefaults: setTokenRequestDefaults });
  return {
    "authentication.k8s.io/tokenreviews": async ({ body, resource }) =>
      answered(resource, "", await reviewToken(tokens, body)),
    [`${resources.serviceAccounts.plural}/token`]: request,
  };
}

const tokenRequest: NamedKind = { group: "authentication.k8s.io", kind: "TokenRequest" };

function answered(of: NamedKind, name: string, result: ReviewResult): object {
  if ("errors" in result) throw invalid(of, name, result.errors);
  return result.review;
}
