import type { UserInfo } from "./access.ts";
import type { RequestInfo } from "./request-info.ts";
import { badRequest } from "./status-error.ts";

export interface Impersonation {
  readonly user: UserInfo;
  /** What the requestor must be allowed to `impersonate`. */
  readonly needs: readonly RequestInfo[];
}

type Headers = Readonly<Record<string, string>>;

const EXTRA = "impersonate-extra-";
const AUTHENTICATION = "authentication.k8s.io";
const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";

/** Whom the headers of a request ask to be taken for; undefined: nobody else. Throws a 400 for half a person. */
export function parseImpersonation(headers: Headers): Impersonation | undefined {
  const username = headers["impersonate-user"] ?? "";
  const uid = headers["impersonate-uid"] ?? "";
  const groups = listOf(headers["impersonate-group"]);
  const extra = extraOf(headers);
  if (username === "") {
    if (groups.length === 0 && uid === "" && extra.size === 0) return undefined;
    throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const [, namespace = "", name = ""] = account ?? [];
  const needs = [
    account === null ? target("", "users", username) : { ...target("", "serviceaccounts", name), namespace },
    ...groups.map((group) => target("", "groups", group)),
    ...[...extra].flatMap(([key, values]) =>
      values.map((value) => ({ ...target(AUTHENTICATION, "userextras", value), subresource: key })),
    ),
    ...(uid === "" ? [] : [target(AUTHENTICATION, "uids", uid)]),
  ];
  const own = groups.length > 0 || account === null ? groups : accountGroups(namespace);
  const user: UserInfo = {
    username,
    groups: withStanding(username, own),
    ...(uid === "" ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
  return { user, needs };
}

/** As Go prints a user in full. */
function goUser(
  uid: string,
  groups: readonly string[],
  extra: ReadonlyMap<string, readonly string[]>,
): string {
  const list = (values: readonly string[]): string =>
    `{${values.map((value) => JSON.stringify(value)).join(", ")}}`;
  const entries = [...extra].map(([key, values]) => `${JSON.stringify(key)}:[]string${list(values)}`);
  const shownGroups = groups.length === 0 ? "[]string(nil)" : `[]string${list(groups)}`;
  const shownExtra =
    extra.size === 0 ? "map[string][]string(nil)" : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}

function accountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** Every user is authenticated, or says not to be. */
function withStanding(username: string, groups: readonly string[]): readonly string[] {
  if (username === "system:anonymous") {
    return groups.includes(unauthenticated) ? groups : [...groups, unauthenticated];
  }
  const isSaid = groups.includes(authenticated) || groups.includes(unauthenticated);
  return isSaid ? groups : [...groups, authenticated];
}

function target(group: string, plural: string, name: string): RequestInfo {
  return { group, version: "v1", namespace: "", plural, name, subresource: "", watchPath: false };
}

function extraOf(headers: Headers): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(EXTRA))
      .map(([name, value]) => [unescaped(name.slice(EXTRA.length)), listOf(value)]),
  );
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    // Upstream takes a key that is escaped badly as it stands.
    return key;
  }
}

/** A header that was sent several times arrives as one (see ApiRequest): what is between commas is no value of its own. */
function listOf(value: string | undefined): readonly string[] {
  return value === undefined || value === "" ? [] : value.split("\n");
}
