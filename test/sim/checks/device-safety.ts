import type { ResourceClaim } from "../../../pkg/api/types/resource-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import { storeOf } from "../world/hands.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { claimsIn, evictingTaintsIn, isBroken, madeFor, userOf } from "./device-facts.ts";
import { stateAfter, type Write } from "./write.ts";

const EVICTS = "device-taint-eviction-controller";

/**
 * No claim is made twice for a pod, none is taken from a pod that needs it, and nobody is evicted whose devices have had no taint that it
 * does not tolerate.
 */
export class DeviceSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** Uids of pods that had a device with such a taint at some time. */
  readonly #mayGo = new Set<string>();
  /** When devices last had a taint, by both; a manager may yet have to hear that they have lost it. */
  readonly #taintedMs = new Map<string, number>();
  #taintedNow: readonly string[] = [];

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    for (const bucket of [BUCKETS["resourceclaims"] ?? "", BUCKETS["resourceslices"] ?? ""])
      world.server.parts.store.subscribe(bucket, () => this.#look());
  }

  judge(write: Write): void {
    if (write.bucket === BUCKETS["resourceclaims"]) this.#judgeClaim(write);
    if (write.bucket === BUCKETS["pods"] && write.client === EVICTS && write.facts.verb === "delete") {
      const { uid = "" } = write.event.object.metadata;
      if (!this.#mayGo.has(uid) && !this.#seemsBroken(write, uid))
        this.#world.violate(`${write.line}: its devices have no taint that evicts it`);
    }
  }

  /** A reservation tells who has the device. */
  #look(): void {
    const store = storeOf(this.#world);
    const nowMs = this.#world.clock.monotonicMs();
    for (const tainted of this.#taintedNow) this.#taintedMs.set(tainted, nowMs);
    this.#taintedNow = evictingTaintsIn(store);
    for (const claim of claimsIn(store)) {
      const users = claim.status?.reservedFor ?? [];
      if (users.length > 0 && isBroken(store, claim)) for (const { uid } of users) this.#mayGo.add(uid);
    }
  }

  /** As far as the manager may have heard: what has lost its taint, or went and came anew without it, was given to the pod since. */
  #seemsBroken({ process }: Write, uid: string): boolean {
    const knownMs = this.#beliefs.horizonMs(process, ["resourceslices"]);
    return claimsIn(storeOf(this.#world))
      .filter(({ status }) => status?.reservedFor?.some((each) => each.uid === uid))
      .flatMap(({ status }) => status?.allocation?.devices?.results ?? [])
      .some(({ driver, pool, device, tolerations = [] }) =>
        [...this.#taintedMs].some(([text, atMs]) => {
          const [name = "", key = ""] = text.split(" ");
          const isTolerated = tolerations.some((each) => each.key === key);
          return atMs >= knownMs && !isTolerated && name === `${driver}/${pool}/${device}`;
        }),
      );
  }

  #judgeClaim(write: Write): void {
    const { event, line } = write;
    const claim = event.object as ResourceClaim;
    if (event.previous === undefined) return this.#judgeNew(write, claim);
    const before = event.previous as ResourceClaim;
    const after = stateAfter(event) as ResourceClaim | undefined;
    const left = new Set(after?.status?.reservedFor?.map(({ uid }) => uid));
    const store = storeOf(this.#world);
    for (const { uid, name } of before.status?.reservedFor ?? [])
      if (!left.has(uid) && userOf(store, uid) !== undefined)
        this.#world.violate(`${line}: takes it from ${name}, which needs it`);
    if (before.status?.allocation !== undefined && after?.status?.allocation === undefined && left.size > 0)
      this.#world.violate(`${line}: takes the devices of a claim that is in use`);
    const isDeletion = write.facts.verb === "delete" && before.metadata.deletionTimestamp === undefined;
    const owner = madeFor(before);
    if (isDeletion && owner !== undefined && userOf(store, owner.uid) !== undefined)
      this.#world.violate(`${line}: deletes a claim of a pod that needs it`);
  }

  /** Whoever makes it, and whatever was known of the one before it. */
  #judgeNew({ line }: Write, claim: ResourceClaim): void {
    const owner = madeFor(claim);
    if (owner === undefined) return;
    for (const other of claimsIn(storeOf(this.#world))) {
      const same = madeFor(other);
      const { uid, deletionTimestamp, name } = other.metadata;
      const isOther = uid !== claim.metadata.uid && deletionTimestamp === undefined;
      if (isOther && same?.uid === owner.uid && same.name === owner.name)
        this.#world.violate(`${line}: ${name} is the pod's claim already`);
    }
  }
}
