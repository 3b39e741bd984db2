import { randomBelow, seededRandom, type Random } from "../../pkg/clock/random.ts";
import { faultNames } from "./world/faults.ts";
import { operationNames } from "./world/operations.ts";

/** Something that a user does or that goes wrong. Chance within it comes from its own seed. */
export interface Action {
  readonly atMs: number;
  readonly kind: "user" | "fault";
  readonly what: string;
  readonly seed: number;
}

/** All that happens to a cluster from outside. It follows from the seed, and can be cut down when that fails. */
export interface Scenario {
  readonly seed: number;
  readonly managers: number;
  readonly nodes: number;
  readonly actions: readonly Action[];
  /** When faults and users stop. */
  readonly endMs: number;
}

const CHAOS_MS = 600_000;

export function scenarioOf(seed: number): Scenario {
  const random = seededRandom(seed);
  const managers = 1 + randomBelow(random, 3);
  const nodes = 1 + randomBelow(random, 4);
  // Some clusters are calm, in some users are idle.
  const users = actionsOf(random, "user", operationNames, [5, 60]);
  const faults = actionsOf(random, "fault", faultNames, [0, 16]);
  const begin = Array.from({ length: 1 + randomBelow(random, 3) }, (_, index) => ({
    atMs: 1_000 + index * 100,
    kind: "user" as const,
    what: "create deployment",
    seed: randomBelow(random, 2 ** 31),
  }));
  const actions = [...begin, ...users, ...faults].toSorted((one, other) => one.atMs - other.atMs);
  return { seed, managers, nodes, actions, endMs: CHAOS_MS + 10_000 };
}

function actionsOf(
  random: Random,
  kind: Action["kind"],
  names: readonly string[],
  [least, most]: readonly [number, number],
): Action[] {
  const count = least + randomBelow(random, most - least + 1);
  return Array.from({ length: count }, () => ({
    atMs: 5_000 + randomBelow(random, CHAOS_MS),
    kind,
    what: names[randomBelow(random, names.length)] ?? "",
    seed: randomBelow(random, 2 ** 31),
  }));
}
