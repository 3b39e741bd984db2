/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const MASTERS = "system:masters";
export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";

export const anonymous: User = { name: "system:anonymous", groups: [UNAUTHENTICATED] };

export function isAnonymous(user: User): boolean {
  return user.name === anonymous.name || user.groups.includes(UNAUTHENTICATED);
}
