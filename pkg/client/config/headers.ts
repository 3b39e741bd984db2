import type { Credentials } from "../http/identity.ts";
import type { IdentitySource, Impersonation } from "./identity-source.ts";

/** The headers that say who is asking. */
export function identityHeaders(source: IdentitySource, token: string | undefined): Credentials["headers"] {
  const authorization = authorizationOf(source, token);
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(source.impersonation === undefined ? {} : impersonationHeaders(source.impersonation)),
  };
}

function authorizationOf({ basic }: IdentitySource, token: string | undefined): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  if (basic === undefined) return undefined;
  return `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}`;
}

function impersonationHeaders(as: Impersonation): Credentials["headers"] {
  const headers: Record<string, string | readonly string[]> = { "impersonate-user": as.user };
  if (as.uid !== undefined) headers["impersonate-uid"] = as.uid;
  if (as.groups !== undefined && as.groups.length > 0) headers["impersonate-group"] = as.groups;
  for (const [key, values] of Object.entries(as.extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values;
  }
  return headers;
}

/** Whether some header has several values: groups and extra values must arrive one by one, for they may hold commas. */
export function repeatsHeaders({ impersonation }: IdentitySource): boolean {
  const lists = [impersonation?.groups ?? [], ...Object.values(impersonation?.extra ?? {})];
  return lists.some(({ length }) => length > 1);
}
