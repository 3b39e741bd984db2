import { parseApiVersion } from "../api/owner-references.ts";
import type { Clock } from "../clock/clock.ts";
import type { ClientSet } from "./client-set.ts";
import { type ApiResource, type ApiSurface, preferredResources } from "./discovery-documents.ts";

/** Discovery is asked again for an unknown kind, but not more often than this: custom resources come and go. */
const REDISCOVER_MS = 30_000;

export interface LookupClient {
  readonly discovery: Pick<ClientSet["discovery"], "surface" | "invalidate">;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Finds the resources of kinds that others name. */
export class KindLookup {
  readonly #client: LookupClient;
  readonly #clock: Clock;
  #discoveredMs: number | undefined;
  /** Of one surface, by group and kind. */
  #preferred: { readonly surface: ApiSurface; readonly byKind: ReadonlyMap<string, ApiResource> } | undefined;

  constructor(client: LookupClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The resource in the version that the server prefers; undefined when it has no such kind, as far as is known now. */
  async find(kind: GroupKind, signal: AbortSignal): Promise<ApiResource | undefined> {
    const known = await this.#find(kind, signal);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined || nowMs - (this.#discoveredMs ?? -Infinity) < REDISCOVER_MS) return known;
    this.#discoveredMs = nowMs;
    this.#client.discovery.invalidate();
    return this.#find(kind, signal);
  }

  /** Where a version of the group could not be discovered, nobody knows whether it has the kind: the failure is thrown. */
  async #find({ group, kind }: GroupKind, signal: AbortSignal): Promise<ApiResource | undefined> {
    const surface = await this.#client.discovery.surface(signal);
    const found = this.#preferredOf(surface).get(keyOf(group, kind));
    if (found !== undefined) return found;
    for (const [version, failure] of surface.failures)
      if (parseApiVersion(version).group === group) throw failure;
    return undefined;
  }

  #preferredOf(surface: ApiSurface): ReadonlyMap<string, ApiResource> {
    if (this.#preferred?.surface === surface) return this.#preferred.byKind;
    const byKind = new Map<string, ApiResource>();
    // Of two resources of one kind the first one is meant.
    for (const resource of preferredResources(surface).toReversed())
      byKind.set(keyOf(resource.group, resource.kind), resource);
    this.#preferred = { surface, byKind };
    return byKind;
  }
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
