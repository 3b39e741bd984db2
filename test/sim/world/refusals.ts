import type { Status } from "../../../pkg/api/object.ts";
import { TransportError } from "../../../pkg/client/transport.ts";
import type { RequestFacts } from "./request-of.ts";
import type { Frame } from "./watch-pipe.ts";

/** What the server refuses, hides or spoils now. All that is named in them are plural names, and "/api" and "/apis". */
export interface Refusals {
  /** 403 to every request. */
  readonly forbidden: Set<string>;
  /** Reads are answered with 200 and the Status of a failure. */
  readonly failedWith200: Set<string>;
  /** Discovery does not name them. */
  readonly hidden: Set<string>;
  /** The next event of every watch of them cannot be read: what it is instead. */
  readonly unreadable: Map<string, Unreadable>;
}

export const UNREADABLE = ["broken JSON", "an unknown type", "no object"] as const;
export type Unreadable = (typeof UNREADABLE)[number];

export function noRefusals(): Refusals {
  return { forbidden: new Set(), failedWith200: new Set(), hidden: new Set(), unreadable: new Map() };
}

export function takeBack(refusals: Refusals): void {
  for (const each of Object.values(refusals) as readonly { clear(): void }[]) each.clear();
}

export function isRefusing(refusals: Refusals): boolean {
  return (Object.values(refusals) as readonly { readonly size: number }[]).some(({ size }) => size > 0);
}

interface Refused {
  readonly code: number;
  readonly body: Status;
}

/** The answer to a request that does not get to what it asks for. */
export function refusalOf(refusals: Refusals, { resource, verb }: RequestFacts): Refused | undefined {
  if (refusals.forbidden.has(resource))
    return { code: 403, body: statusOf(403, "Forbidden", `${resource} is forbidden`) };
  if ((verb === "get" || verb === "list") && refusals.failedWith200.has(resource))
    return { code: 200, body: statusOf(500, "InternalError", "the proxy in between has lost its server") };
  return undefined;
}

function statusOf(code: number, reason: string, message: string): Status {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
}

interface AggregatedGroup {
  readonly versions: readonly { readonly resources?: readonly { readonly resource: string }[] }[];
}

/** What discovery says, as from a server that does not know of what is hidden. */
export function withoutHidden({ hidden }: Refusals, { resource }: RequestFacts, answer: unknown): unknown {
  const list = answer as { readonly kind?: string; readonly items?: readonly AggregatedGroup[] };
  if (hidden.size === 0 || !resource.startsWith("/api") || list.kind !== "APIGroupDiscoveryList")
    return answer;
  const items = (list.items ?? []).map((group) => ({
    ...group,
    versions: group.versions.map((version) => ({
      ...version,
      resources: (version.resources ?? []).filter((each) => !hidden.has(each.resource)),
    })),
  }));
  // A group of which nothing is left is not there.
  return {
    ...list,
    items: items.filter((group) => group.versions.some(({ resources }) => resources.length > 0)),
  };
}

/** The events of a watch, one of them unreadable when that is asked for. What it says instead is lost, as on a real wire. */
export async function* spoilt(
  { unreadable }: Refusals,
  resource: string,
  source: AsyncIterable<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  let done: Unreadable | undefined;
  for await (const frame of source) {
    const how = unreadable.get(resource);
    if (how !== undefined && how !== done) {
      done = how;
      if (how === "broken JSON") throw new TransportError("malformed", "broken JSON of 7 characters", true);
      // In front of what there is to say: of a kind that nobody knows nothing is missed.
      yield how === "no object" ? { type: "ADDED" } : { ...(frame as Frame), type: "RENAMED" };
    }
    yield frame;
  }
}
