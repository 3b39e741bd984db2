import type { RequestInfo } from "./request-info.ts";

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who asks? */
export interface Authenticator {
  /** undefined: nobody that this server knows; the answer is then 401. */
  authenticate(headers: Readonly<Record<string, string>>): Promise<UserInfo | undefined>;
}

/** What is asked of the Authorizer: a resource request, or a path such as /healthz. */
export interface AccessRequest {
  readonly user: UserInfo;
  /** "get", "list", "watch", "create" …; for paths the lower-case HTTP method. */
  readonly verb: string;
  readonly path: string;
  readonly resource?: RequestInfo;
}

export type AccessDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

/** May they? */
export interface Authorizer {
  authorize(request: AccessRequest): Promise<AccessDecision>;
}

/** Everybody is the administrator: for tests and for servers that listen to their own process only. */
export const adminUser: UserInfo = {
  username: "kubernetes-admin",
  groups: ["system:masters", "system:authenticated"],
};

export const everybodyIsAdmin: Authenticator = { authenticate: async () => adminUser };

export const everythingIsAllowed: Authorizer = { authorize: async () => ({ allowed: true }) };
