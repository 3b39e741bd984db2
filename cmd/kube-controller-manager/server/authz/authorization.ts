import { StartError } from "../../start-error.ts";
import { MASTERS, type User } from "../authn/user.ts";

/** What a user wants: the method in lower case, and the path. */
export interface Attempt {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

/** "no-opinion" is a refusal when nobody else has an opinion either. */
export interface Decision {
  readonly result: "allowed" | "denied" | "no-opinion";
  readonly reason?: string;
}

/** Rejects when no decision could be had. */
export type Authorizer = (attempt: Attempt) => Promise<Decision>;

const allowed: Decision = { result: "allowed" };

/** Members of system:masters and paths that are open to all are allowed here; `others` decides the rest. */
export function authorizeBy(alwaysAllowPaths: readonly string[], others: Authorizer | undefined): Authorizer {
  const isOpen = openPaths(alwaysAllowPaths);
  return async (attempt) => {
    if (attempt.user.groups.includes(MASTERS) || isOpen(attempt.path)) return allowed;
    return (await others?.(attempt)) ?? { result: "no-opinion" };
  };
}

/** Exact paths, or prefixes that end in `*`; a leading slash makes no difference. */
function openPaths(patterns: readonly string[]): (path: string) => boolean {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns.map(withoutSlash)) {
    if (pattern.slice(0, -1).includes("*")) {
      throw new StartError(
        `--authorization-always-allow-paths: only trailing * allowed in ${JSON.stringify(pattern)}`,
      );
    }
    if (pattern.endsWith("*")) prefixes.push(pattern.slice(0, -1));
    else exact.add(pattern);
  }
  return (path) => {
    const plain = withoutSlash(path);
    return exact.has(plain) || prefixes.some((prefix) => plain.startsWith(prefix));
  };
}

function withoutSlash(path: string): string {
  return path.startsWith("/") ? path.slice(1) : path;
}
