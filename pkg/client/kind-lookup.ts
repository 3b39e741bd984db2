import { parseApiVersion } from "../api/owner-references.ts";
import type { Clock } from "../clock/clock.ts";
import type { ClientSet } from "./client-set.ts";
import { type ApiResource, type ApiSurface, preferredResources } from "./discovery-documents.ts";
import { isNotFound } from "./errors.ts";

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

/** The answer, and where it came from. */
export interface Asked<R> {
  readonly resource: ApiResource;
  readonly answer: R;
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
    if (known.resource !== undefined || !this.#askAnew()) return resourceOf(known);
    return resourceOf(await this.#find(kind, signal));
  }

  /**
   * Asks for something of the kind where it was found, or where it is by now: the server may have ceased to serve the
   * version that it preferred, and then has nothing there.
   */
  async ask<R>(
    kind: GroupKind,
    found: ApiResource,
    request: (resource: ApiResource) => Promise<R>,
    signal: AbortSignal,
  ): Promise<Asked<R>> {
    try {
      return { resource: found, answer: await request(found) };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#askAnew();
      const { resource } = await this.#find(kind, signal);
      if (resource === undefined || isSame(resource, found)) throw error;
      return { resource, answer: await request(resource) };
    }
  }

  /** False when that was done a moment ago. */
  #askAnew(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#discoveredMs ?? -Infinity) < REDISCOVER_MS) return false;
    this.#discoveredMs = nowMs;
    this.#client.discovery.invalidate();
    return true;
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

function isSame(one: ApiResource, other: ApiResource): boolean {
  return one.version === other.version && one.plural === other.plural;
}

function resourceOf({ resource, failure }: Found): ApiResource | undefined {
  if (failure !== undefined) throw failure;
  return resource;
}
