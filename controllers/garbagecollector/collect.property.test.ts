import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { garbageCollectorController } from "./controller.ts";
import { FOREGROUND } from "./graph-change.ts";

const kinds: readonly Resource[] = [resources.configMaps, resources.secrets, resources.serviceAccounts];
const plurals = kinds.map(({ plural }) => plural);
const SETTLED_MS = 60_000;

const policy = fc.constantFrom("Background" as const, "Foreground" as const, "Orphan" as const);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      kind: fc.nat(2),
      owners: fc.array(fc.nat(30), { maxLength: 3 }),
      blocking: fc.boolean(),
      absent: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(30), policy }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("disown" as const), which: fc.nat(30) }) },
  // The order in which the collector hears of different kinds is anybody's.
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hold" as const), kind: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(3_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("nothing with a living owner is deleted, and everything that has lost its owners goes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const trial = await Trial.start();
      try {
        for (const each of steps) await trial.perform(each);
        await trial.settle();
        expect(trial.wronglyDeleted).toEqual([]);
        expect(await trial.leftovers()).toEqual([]);
      } finally {
        await trial.end();
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);

interface Made {
  readonly resource: Resource;
  readonly object: ApiObject;
}

/** One world, what was made in it, and a watch over what goes. */
class Trial {
  readonly wronglyDeleted: string[] = [];
  readonly #world: ControllerWorld;
  readonly #made: Made[] = [];
  readonly #deletedByUser = new Set<string>();
  readonly #objects = new Map<string, ApiObject>();
  #releases: (() => void)[] = [];

  static async start(): Promise<Trial> {
    const trial = new Trial(await newWorld());
    await trial.#world.start(garbageCollectorController({ workers: 3 }));
    return trial;
  }

  private constructor(world: ControllerWorld) {
    this.#world = world;
    for (const plural of plurals) {
      world.server.parts.store.subscribe(plural, ({ type, object }) => this.#witness(type, object));
    }
  }

  async perform(step: Step): Promise<void> {
    if (step.do === "create") await this.#create(step);
    else if (step.do === "delete") await this.#delete(step.which, step.policy);
    else if (step.do === "disown") await this.#disown(step.which);
    else if (step.do === "hold") this.#hold(plurals[step.kind] ?? "");
    else if (step.do === "release") this.#releases.pop()?.();
    else await this.#world.run(step.ms);
  }

  async settle(): Promise<void> {
    for (const release of this.#releases.splice(0)) release();
    await this.#world.run(SETTLED_MS);
  }

  /** What should have gone by now: deleted by the user, or with owners none of which exists. */
  async leftovers(): Promise<readonly unknown[]> {
    const uids = new Set(this.#objects.keys());
    return [...this.#objects.values()].filter(({ metadata }) => {
      const { uid = "", ownerReferences = [], deletionTimestamp } = metadata;
      const isOwnerless = ownerReferences.length > 0 && !ownerReferences.some((owner) => uids.has(owner.uid));
      return isOwnerless || deletionTimestamp !== undefined || this.#deletedByUser.has(uid);
    });
  }

  async end(): Promise<void> {
    await this.#world.stop();
  }

  #witness(type: string, object: ApiObject): void {
    const { uid = "", deletionTimestamp, name } = object.metadata;
    const before = this.#objects.get(uid);
    const isGoing = type === "DELETED" || deletionTimestamp !== undefined;
    const wasGoing = before?.metadata.deletionTimestamp !== undefined;
    if (isGoing && !wasGoing && !this.#deletedByUser.has(uid)) {
      const owners = (before ?? object).metadata.ownerReferences ?? [];
      if (owners.length === 0 || owners.some((owner) => this.#lives(owner)))
        this.wronglyDeleted.push(name ?? "");
    }
    if (type === "DELETED") this.#objects.delete(uid);
    else this.#objects.set(uid, object);
  }

  /** An owner that waits for its dependents to go keeps none of them. */
  #lives({ uid }: OwnerReference): boolean {
    const owner = this.#objects.get(uid);
    if (owner === undefined) return false;
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    return deletionTimestamp === undefined || !finalizers.includes(FOREGROUND);
  }

  async #create(step: Extract<Step, { do: "create" }>): Promise<void> {
    const resource = kinds[step.kind] ?? resources.configMaps;
    const owners = new Set(step.owners.flatMap((index) => this.#made[index] ?? []));
    const ownerReferences = [...owners].map(({ resource: of, object }): OwnerReference => {
      const { name = "", uid = "" } = object.metadata;
      return { apiVersion: apiVersionOf(of), kind: of.kind, name, uid, blockOwnerDeletion: step.blocking };
    });
    if (step.absent)
      ownerReferences.push({
        apiVersion: "v1",
        kind: "Secret",
        name: "none",
        uid: `none-${this.#made.length}`,
      });
    const name = `object-${this.#made.length}`;
    const object = await this.#world.create<ApiObject>(resource, { metadata: { name, ownerReferences } });
    this.#made.push({ resource, object });
  }

  async #delete(which: number, propagationPolicy: "Background" | "Foreground" | "Orphan"): Promise<void> {
    const made = this.#made[which];
    if (made === undefined) return;
    const { name = "", uid = "" } = made.object.metadata;
    this.#deletedByUser.add(uid);
    const ref = { namespace: NAMESPACE, name };
    await this.#tolerantly(async () =>
      this.#world.client.dynamic(made.resource).delete(ref, { propagationPolicy, preconditions: { uid } }),
    );
  }

  async #disown(which: number): Promise<void> {
    const made = this.#made[which];
    if (made === undefined) return;
    const ref = { namespace: NAMESPACE, name: made.object.metadata.name ?? "" };
    const body = { metadata: { ownerReferences: null } };
    await this.#tolerantly(async () =>
      this.#world.client.dynamic(made.resource).patch(ref, { type: "merge", body }),
    );
  }

  #hold(resource: string): void {
    this.#releases.push(this.#world.server.parts.faults.holdWatches({ resource }));
  }

  async #tolerantly(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
