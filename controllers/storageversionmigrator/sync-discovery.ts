import type { GroupResource } from "../../pkg/api/types/meta.gen.ts";
import { apiVersionOf } from "../../pkg/api/resource.ts";
import type { ApiResource, ApiSurface } from "../../pkg/client/discovery-documents.ts";
import type { Discovery } from "../../pkg/client/discovery.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** What is known of the server's resources is asked anew after this time, and before that for one that is not known. */
const KNOWN_MS = 30_000;
const UNKNOWN_MS = 10_000;

/** What the server serves. A definition may have come a moment before the migration of its objects. */
export class ServedResources {
  readonly #discovery: Pick<Discovery, "surface" | "invalidate">;
  readonly #clock: Clock;
  #askedMs = -Infinity;

  constructor(discovery: Pick<Discovery, "surface" | "invalidate">, clock: Clock) {
    this.#discovery = discovery;
    this.#clock = clock;
  }

  /** The resource in its best version; undefined when there is none. Rejects when the server cannot say. */
  async find(wanted: GroupResource, signal: AbortSignal): Promise<ApiResource | undefined> {
    this.#askAnewAfter(KNOWN_MS);
    const known = findIn(await this.#discovery.surface(signal), wanted);
    if ("resource" in known) return known.resource;
    const isNew = this.#askAnewAfter(UNKNOWN_MS);
    const found = isNew ? findIn(await this.#discovery.surface(signal), wanted) : known;
    if ("resource" in found) return found.resource;
    if (found.failure !== undefined) throw found.failure;
    return undefined;
  }

  #askAnewAfter(ageMs: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#askedMs < ageMs) return false;
    this.#askedMs = nowMs;
    this.#discovery.invalidate();
    return true;
  }
}

/** The best version comes first. What could not be discovered may have the resource. */
function findIn(
  { groups, resources, failures }: ApiSurface,
  { group, resource }: GroupResource,
): { readonly resource: ApiResource } | { readonly failure: unknown } {
  const versions = groups.find(({ name }) => name === group)?.versions ?? [];
  const found = resources.filter((each) => each.group === group && each.plural === resource);
  for (const version of versions) {
    const best = found.find((each) => each.version === version);
    if (best !== undefined) return { resource: best };
  }
  const failed = versions.find((version) => failures.has(apiVersionOf({ group, version })));
  return { failure: failed && failures.get(apiVersionOf({ group, version: failed })) };
}
