import { randomBelow, seededRandom, type Random } from "../../pkg/clock/random.ts";
import type { ElectionTiming } from "../../pkg/leader/election-timing.ts";
import { autoscalerArea } from "./world/autoscaler-operations.ts";
import { faultNames, refusalNames } from "./world/faults.ts";
import { newNodeSettings, type NodeSettings } from "./world/node-settings.ts";
import {
  type Area,
  type AreaName,
  areas,
  deviceArea,
  identityArea,
  nodeArea,
  volumeArea,
} from "./world/operations.ts";

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
  readonly timing: ElectionTiming;
  /** Where there are controllers of nodes. */
  readonly nodeSettings?: NodeSettings;
  /** Whether there is a controller of autoscalers, and something to be measured. */
  readonly autoscales?: boolean;
  /** Volumes are attached by a driver that may fail. */
  readonly hasDriver?: boolean;
  readonly actions: readonly Action[];
  /** No watch ever misses or delays anything: what a controller waits for is shown to it soon. */
  readonly watchesHold: boolean;
  /** Nothing goes wrong. */
  readonly isCalm?: boolean;
  /** When faults and users stop. */
  readonly endMs: number;
}

const CHAOS_MS = 600_000;
/** The defaults of the program, and slower ones that leave a simulation more time for all else. */
const timings: readonly ElectionTiming[] = [
  { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
  { leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 8_000 },
  { leaseDurationMs: 40_000, renewDeadlineMs: 25_000, retryPeriodMs: 10_000 },
];
const harmlessToWatches: ReadonlySet<string> = new Set([
  "request errors",
  "kill leader",
  "kill leader at a write",
  "stop leader",
  "stop leader at a write",
  "wall clock jumps",
]);
/** How often the leader dies in ten minutes, where that is the subject. */
const CRASHES = 25;
/** Much happens around a few moments: races need company. */
const BUSY_MOMENTS = 6;
const BUSY_MS = 4_000;
/** Of clusters in which zones matter. */
const FEWEST_NODES = 3;

const allAreas: readonly Area[] = Object.values(areas);

/** With an area, no cluster is busy with another alone; all else is as without. */
export function scenarioOf(seed: number, area?: AreaName): Scenario {
  const random = seededRandom(seed);
  const managers = 1 + randomBelow(random, 3);
  const nodes = 1 + randomBelow(random, 4);
  const timing = pick(random, timings);
  const busyMs = Array.from({ length: BUSY_MOMENTS }, () => 5_000 + randomBelow(random, CHAOS_MS - BUSY_MS));
  // Most clusters are busy with one thing, and some with all of them.
  const isBusyWithAll = random.next() < 0.3;
  const busyWith = isBusyWithAll ? allAreas : [pick(random, area === undefined ? allAreas : [areas[area]])];
  const wishes = busyWith.flatMap(({ names }) => names);
  const begin = Array.from({ length: 1 + randomBelow(random, 3) }, (_, index): Action => ({
    atMs: 1_000 + index * 100,
    kind: "user",
    what: pick(random, busyWith).first,
    seed: randomBelow(random, 2 ** 31),
  }));
  const users = actionsOf(random, busyMs, {
    kind: "user",
    names: wishes,
    count: 5 + randomBelow(random, 80),
  });
  // Each cluster has its own kinds of trouble, and some have none: what is rare among all faults is frequent there.
  const possible =
    random.next() < 0.25 ? faultNames.filter((kind) => harmlessToWatches.has(kind)) : faultNames;
  const kinds = random.next() < 0.15 ? [] : possible.filter(() => random.next() < 0.4);
  const faults =
    kinds.length === 0
      ? []
      : actionsOf(random, busyMs, { kind: "fault", names: kinds, count: 1 + randomBelow(random, 20) });
  const actions = [...begin, ...users, ...faults].toSorted((one, other) => one.atMs - other.atMs);
  const watchesHold = kinds.every((kind) => harmlessToWatches.has(kind));
  return {
    seed,
    managers,
    nodes,
    timing,
    actions,
    watchesHold,
    isCalm: kinds.length === 0,
    endMs: CHAOS_MS + 10_000,
  };
}

/** Jobs, and managers that die between any two of their writes, again and again. */
function crashScenarioOf(seed: number): Scenario {
  const random = seededRandom(seed);
  const busyMs = [CHAOS_MS / 2];
  const deaths = Array.from({ length: CRASHES }, (_, index): Action => ({
    atMs: 5_000 + index * (CHAOS_MS / CRASHES) + randomBelow(random, 5_000),
    kind: "fault",
    what: "kill leader at a write",
    seed: randomBelow(random, 2 ** 31),
  }));
  const users = actionsOf(random, busyMs, {
    kind: "user",
    names: areas.jobs.names,
    count: 20 + randomBelow(random, 60),
  });
  const begin: Action = {
    atMs: 1_000,
    kind: "user",
    what: areas.jobs.first,
    seed: randomBelow(random, 2 ** 31),
  };
  const actions = [begin, ...users, ...deaths].toSorted((one, other) => one.atMs - other.atMs);
  const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
  return { seed, managers: 3, nodes: 2, timing, actions, watchesHold: true, endMs: CHAOS_MS + 10_000 };
}

/** Names that are used again, while answers are lost and caches lag. */
function identityScenarioOf(seed: number): Scenario {
  const harmless = ["request errors", "lost answers", "kill leader at a write", "stop leader at a write"];
  const others = ["stale cache", "stale cache of others", "slow network", "cut watches", "expired history"];
  return familyOf(seed, [identityArea], { harmless, others });
}

/** Answers that say less than they seem to, whatever users are busy with. */
function halfRefusedScenarioOf(seed: number): Scenario {
  return familyOf(seed, allAreas, {
    harmless: [],
    others: [...refusalNames, "cut watches", "expired history"],
  });
}

/** Nodes that are lost, late, in doubt, and made anew, with all controllers that look after nodes. */
function nodeScenarioOf(seed: number): Scenario {
  const harmless = [
    "request errors",
    "kill leader",
    "kill leader at a write",
    "stop leader",
    "stop leader at a write",
    "wall clock jumps",
  ];
  const others = [
    "stale cache of nodes",
    "API server away from all",
    "slow network",
    "cut watches",
    "expired history",
    "stale lists",
    "API server restart",
    "pause leader",
    "pause any",
  ];
  const random = seededRandom(~seed);
  const nodes = FEWEST_NODES + randomBelow(random, 6);
  const nodeSettings = newNodeSettings(random, nodes);
  return { ...familyOf(seed, [nodeArea], { harmless, others }), nodes, nodeSettings };
}

/** Devices that come, break and go, and claims of them. */
function deviceScenarioOf(seed: number): Scenario {
  const harmless = [
    "request errors",
    "lost answers",
    "kill leader",
    "kill leader at a write",
    "stop leader at a write",
  ];
  const others = [
    "stale cache of devices",
    "slow network",
    "cut watches",
    "expired history",
    "stale lists",
    "API server restart",
    "pause leader",
    "pause any",
  ];
  return familyOf(seed, [deviceArea], { harmless, others });
}

/** Load that comes and goes, is measured and is not, while managers follow one another. */
function autoscalingScenarioOf(seed: number): Scenario {
  const ofLeaders = [
    "kill leader",
    "kill leader at a write",
    "stop leader",
    "stop leader at a write",
    "wall clock jumps",
  ];
  // While requests fail or are late nobody is held to what others know: in half of all clusters that excuses nobody.
  if (seed % 2 === 0)
    return { ...familyOf(seed, [autoscalerArea], { harmless: ofLeaders, others: [] }), autoscales: true };
  const harmless = ["request errors", "lost answers", ...ofLeaders];
  const others = [
    "stale cache",
    "stale cache of autoscalers",
    "slow network",
    "cut watches",
    "expired history",
    "stale lists",
    "API server restart",
    "pause leader",
    "pause any",
  ];
  return { ...familyOf(seed, [autoscalerArea], { harmless, others }), autoscales: true };
}

/** Volumes, their users, and a driver that fails, on nodes that do so too. */
function volumeScenarioOf(seed: number): Scenario {
  const harmless = [
    "request errors",
    "lost answers",
    "kill leader at a write",
    "stop leader at a write",
    "driver fails",
    "driver's answers are lost",
    "driver is slow",
  ];
  const others = [
    "stale cache of volumes",
    "slow network",
    "cut watches",
    "expired history",
    "stale lists",
    "API server restart",
    "pause leader",
  ];
  const random = seededRandom(~seed);
  const nodes = FEWEST_NODES + randomBelow(random, 2);
  const nodeSettings = newNodeSettings(random, nodes);
  const scenario = familyOf(seed, [volumeArea], { harmless, others });
  // There are claims and volumes for pods from the start.
  const stock = ["create a class", "create a claim", "create a volume", "create a pod with volumes"];
  const begin = Array.from({ length: 32 }, (_, index): Action => ({
    atMs: 1_500 + index * 50,
    kind: "user",
    what: stock[index % stock.length] ?? "",
    seed: randomBelow(random, 2 ** 31),
  }));
  const busyMs = Array.from({ length: BUSY_MOMENTS }, () => 5_000 + randomBelow(random, CHAOS_MS - BUSY_MS));
  const more = actionsOf(random, busyMs, { kind: "user", names: volumeArea.names, count: 60 });
  const actions = [...scenario.actions, ...begin, ...more].toSorted((one, other) => one.atMs - other.atMs);
  return { ...scenario, actions, nodes, nodeSettings, hasDriver: true };
}

/** Clusters of another kind, by the name that MIX calls them by. */
export const families = {
  crashes: crashScenarioOf,
  identity: identityScenarioOf,
  "half-refused": halfRefusedScenarioOf,
  nodes: nodeScenarioOf,
  devices: deviceScenarioOf,
  autoscaling: autoscalingScenarioOf,
  volumes: volumeScenarioOf,
} satisfies Readonly<Record<string, (seed: number) => Scenario>>;

export type FamilyName = keyof typeof families;

interface Troubles {
  /** Watches are never late because of these. */
  readonly harmless: readonly string[];
  readonly others: readonly string[];
}

function familyOf(seed: number, from: readonly Area[], { harmless, others }: Troubles): Scenario {
  const random = seededRandom(seed);
  const managers = 1 + randomBelow(random, 2);
  const nodes = 1 + randomBelow(random, 4);
  const timing = pick(random, timings);
  const busyMs = Array.from({ length: BUSY_MOMENTS }, () => 5_000 + randomBelow(random, CHAOS_MS - BUSY_MS));
  const area = pick(random, from);
  const begin = Array.from({ length: 3 }, (_, index): Action => ({
    atMs: 1_000 + index * 100,
    kind: "user",
    what: index === 0 ? area.first : pick(random, area.names),
    seed: randomBelow(random, 2 ** 31),
  }));
  const users = actionsOf(random, busyMs, {
    kind: "user",
    names: area.names,
    count: 10 + randomBelow(random, 80),
  });
  const watchesHold = harmless.length > 0 && random.next() < 0.4;
  const kinds = (watchesHold ? harmless : [...harmless, ...others]).filter(() => random.next() < 0.5);
  const faults =
    kinds.length === 0
      ? []
      : actionsOf(random, busyMs, { kind: "fault", names: kinds, count: 2 + randomBelow(random, 20) });
  const actions = [...begin, ...users, ...faults].toSorted((one, other) => one.atMs - other.atMs);
  const isCalm = kinds.length === 0;
  return { seed, managers, nodes, timing, actions, watchesHold, isCalm, endMs: CHAOS_MS + 10_000 };
}

interface Wanted {
  readonly kind: Action["kind"];
  readonly names: readonly string[];
  readonly count: number;
}

function actionsOf(random: Random, busyMs: readonly number[], { kind, names, count }: Wanted): Action[] {
  return Array.from({ length: count }, () => ({
    atMs:
      random.next() < 0.5
        ? 5_000 + randomBelow(random, CHAOS_MS)
        : pick(random, busyMs) + randomBelow(random, BUSY_MS),
    kind,
    what: pick(random, names),
    seed: randomBelow(random, 2 ** 31),
  }));
}

function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[randomBelow(random, from.length)];
  if (chosen === undefined) throw new Error("nothing to choose from");
  return chosen;
}
