import type { ManagerProcess } from "../world/process.ts";
import { describeRequest } from "../world/request-of.ts";
import type { Arrival } from "../world/wire.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";

interface LastWrite {
  readonly process: ManagerProcess | undefined;
  readonly client: string;
  readonly atMs: number;
}

/** Nobody is in conflict with what it wrote itself: whoever writes waits until its cache shows it what it wrote before. */
export class OwnConflicts {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** By resource, namespace and name. */
  readonly #last = new Map<string, LastWrite>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    for (const [resource, bucket] of Object.entries(world.history.buckets)) {
      world.server.parts.store.subscribe(bucket, ({ object }) => {
        const { process, client } = world.actor;
        const atMs = world.clock.monotonicMs();
        this.#last.set(placeOf({ resource, ...object.metadata }), { process, client, atMs });
      });
    }
  }

  /** Its sender does not know of it. */
  notAnswered({ facts }: Arrival): void {
    this.#last.delete(placeOf(facts));
  }

  /** Of a write that was refused, as the object is of another version. */
  judge({ facts, client }: Arrival, process: ManagerProcess): void {
    if (facts.verb !== "update") return;
    const last = this.#last.get(placeOf(facts));
    if (last?.process !== process || last.client !== client || last.atMs >= this.#beliefs.begunMs()) return;
    this.#world.violate(`${process.name}: ${describeRequest(facts)}: in conflict with itself (${client})`);
  }
}

interface Place {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

function placeOf({ resource, namespace = "", name = "" }: Place): string {
  return `${resource} ${namespace}/${name}`;
}
