import type { ObjectReference } from "../api/types/core-v1.gen.ts";
import type { Endpoint } from "../api/types/discovery-v1.gen.ts";

/**
 * What tells endpoints apart. Conditions, nodes and zones are not part of it: an endpoint in which only these change
 * stays in its place.
 */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  const { namespace = "", name = "" } = targetRef ?? {};
  // Thousands of keys are made in a sync, nearly all of endpoints with one address.
  const sorted = addresses.length > 1 ? addresses.toSorted().join("\n") : (addresses[0] ?? "");
  return `${sorted}\n\n${hostname}\n${namespace}\n${name}`;
}

/** Endpoints that are yet to be placed, in the order in which they came. Of those with one key the last one counts. */
export class EndpointSet {
  readonly #byKey = new Map<string, Endpoint>();

  constructor(endpoints: Iterable<Endpoint> = []) {
    for (const endpoint of endpoints) this.add(endpoint);
  }

  get size(): number {
    return this.#byKey.size;
  }

  add(endpoint: Endpoint): void {
    const { addresses } = endpoint;
    const sorted = addresses.length > 1 ? { ...endpoint, addresses: addresses.toSorted() } : endpoint;
    this.#byKey.set(endpointKey(sorted), sorted);
  }

  /** The one with the key of `endpoint`. */
  get(endpoint: Endpoint): Endpoint | undefined {
    return this.#byKey.get(endpointKey(endpoint));
  }

  /** As get, and the set has it no more. */
  take(endpoint: Endpoint): Endpoint | undefined {
    const key = endpointKey(endpoint);
    const found = this.#byKey.get(key);
    this.#byKey.delete(key);
    return found;
  }

  /** The first `count`, or as many as there are. */
  takeFirst(count: number): readonly Endpoint[] {
    const taken: Endpoint[] = [];
    for (const [key, endpoint] of this.#byKey) {
      if (taken.length >= count) break;
      taken.push(endpoint);
      this.#byKey.delete(key);
    }
    return taken;
  }
}

/** Whether two endpoints with the same key say the same. The pod's resourceVersion does not count. */
export function sameBeyondKey(one: Endpoint, other: Endpoint): boolean {
  return (
    one.nodeName === other.nodeName &&
    one.zone === other.zone &&
    one.conditions?.ready === other.conditions?.ready &&
    one.conditions?.serving === other.conditions?.serving &&
    one.conditions?.terminating === other.conditions?.terminating &&
    sameReference(one.targetRef, other.targetRef)
  );
}

const REFERENCE_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "fieldPath"] as const;

export function sameReference(one: ObjectReference | undefined, other: ObjectReference | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return REFERENCE_FIELDS.every((field) => (one[field] ?? "") === (other[field] ?? ""));
}
