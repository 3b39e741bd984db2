import { StartError } from "../../../../pkg/manager/start-error.ts";
import type { Authorizer, Decision } from "../../../../pkg/manager/access/authorizer.ts";
import { MASTERS } from "../../../../pkg/manager/access/user.ts";

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
