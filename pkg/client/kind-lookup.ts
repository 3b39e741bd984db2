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

interface Found {
  readonly resource?: ApiResource;
  /** Why it is not known whether there is one. */
  readonly failure?: unknown;
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

  /**
   * The resource in the version that the server prefers; undefined when it has no such kind, as far as is known now. Throws
   * when a version of the group could not be discovered, now and when that was asked for last: nobody knows then.
   */
  async find(kind: GroupKind, signal: AbortSignal): Promise<ApiResource | undefined> {
    const known = await this.#find(kind, signal);
    const nowMs = this.#clock.monotonicMs();
    if (known.resource !== undefined || nowMs - (this.#discoveredMs ?? -Infinity) < REDISCOVER_MS)
      return resourceOf(known);
    this.#discoveredMs = nowMs;
    this.#client.discovery.invalidate();
    return resourceOf(await this.#find(kind, signal));
  }

  async #find({ group, kind }: GroupKind, signal: AbortSignal): Promise<Found> {
    const surface = await this.#client.discovery.surface(signal);
    const resource = this.#preferredOf(surface).get(keyOf(group, kind));
    if (resource !== undefined) return { resource };
    for (const [version, failure] of surface.failures)
      if (parseApiVersion(version).group === group) return { failure };
    return {};
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

function resourceOf({ resource, failure }: Found): ApiResource | undefined {
  if (failure !== undefined) throw failure;
  return resource;
}
