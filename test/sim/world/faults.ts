import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { type ManagerProcess, WATCHED } from "./process.ts";
import { UNREADABLE } from "./refusals.ts";
import { type DriverTroubles, fates, wellDriver } from "./weather.ts";
import type { World } from "./world.ts";

/** Makes something go wrong, now and perhaps for a while. Gives what it was, or undefined when that is not possible. */
type Fault = (world: World, random: Random) => string | undefined;

const LAGGING = ["pods", "replicasets", "deployments", "replicationcontrollers", "jobs", "namespaces"];

const LAGGING_OF_NODES = ["nodes", "leases", "pods"];

const LAGGING_OF_DEVICES = ["pods", "resourceclaims", "resourceclaimtemplates", "resourceslices"];
const LAGGING_OF_VOLUMES = [
  "persistentvolumes",
  "persistentvolumes",
  "persistentvolumes",
  "persistentvolumeclaims",
  "persistentvolumeclaims",
  "volumeattachments",
  "storageclasses",
  "nodes",
  "pods",
];

const LAGGING_OTHERS = ["endpointslices", "services", "statefulsets", "daemonsets", "nodes", "cronjobs"];

/** Only where there are devices. */
const deviceFaults: Readonly<Record<string, Fault>> = {
  "stale cache of devices": (world, random) => holdBack(world, random, LAGGING_OF_DEVICES),
};

const faults: Readonly<Record<string, Fault>> = {
  "request errors": (world, random) => {
    const share = 0.05 + random.next() * 0.6;
    const forMs = 1_000 + randomBelow(random, 45_000);
    const some = fates.filter(() => random.next() < 0.4);
    world.weather.errorShare = share;
    world.weather.errorFates = some.length === 0 ? fates : some;
    world.clock.setTimer(forMs, () => (world.weather.errorShare = 0));
    return `${Math.round(share * 100)}% of requests fail (${world.weather.errorFates.join(", ")}) for ${forMs} ms`;
  },
  "slow network": (world, random) => {
    const latencyMs = 200 + randomBelow(random, 3_000);
    const forMs = 1_000 + randomBelow(random, 60_000);
    world.weather.latencyMs = latencyMs;
    world.clock.setTimer(forMs, () => (world.weather.latencyMs = 20));
    return `requests take up to ${latencyMs} ms each way for ${forMs} ms`;
  },
  "stale cache": (world, random) => holdBack(world, random, LAGGING),
  "stale cache of others": (world, random) => holdBack(world, random, LAGGING_OTHERS),
  "cut watches": (world) => {
    const cut = world.processes.map(({ wire }) => wire.cutWatches());
    return `${cut.reduce((sum, count) => sum + count, 0)} watches are cut`;
  },
  "expired history": (world) => {
    world.server.parts.store.compact();
    for (const { wire } of world.processes) wire.cutWatches();
    return "the history is compacted, and watches are cut";
  },
  "stale lists": (world, random) => {
    const ageMs = 1_000 + randomBelow(random, 20_000);
    world.weather.staleListMs = ageMs;
    world.clock.setTimer(30_000, () => (world.weather.staleListMs = 0));
    return `lists of any version are ${ageMs} ms old for 30 s`;
  },
  "API server restart": (world, random) => {
    const forMs = 100 + randomBelow(random, 20_000);
    world.weather.outage = true;
    for (const { wire } of world.processes) wire.cutWatches();
    if (random.next() < 0.5) world.server.parts.store.compact();
    world.clock.setTimer(forMs, () => (world.weather.outage = false));
    return `the API server restarts, which takes ${forMs} ms`;
  },
  "kill leader": (world) => {
    const { leader } = world;
    if (leader === undefined) return undefined;
    world.kill(leader, "killed");
    return `${leader.name} is killed`;
  },
  "kill leader at a write": (world, random) => {
    const after = randomBelow(random, 8);
    world.atWrite = { left: after, end: "kill" };
    return `the leader will be killed at its next write but ${after}`;
  },
  "stop leader": (world) => {
    const { leader } = world;
    leader?.stop();
    return leader && `${leader.name} is told to stop`;
  },
  "stop leader at a write": (world, random) => {
    const after = randomBelow(random, 8);
    world.atWrite = { left: after, end: "stop" };
    return `the leader will be told to stop at its next write but ${after}`;
  },
  "pause leader": (world, random) => {
    const { leader } = world;
    return leader && pause(world, leader, 1_000 + randomBelow(random, 40_000));
  },
  "pause any": (world, random) => {
    const victim = world.processes[randomBelow(random, world.processes.length)];
    return victim && pause(world, victim, 100 + randomBelow(random, 12_000));
  },
  "wall clock jumps": (world, random) => {
    const byMs = Math.round((random.next() - 0.5) * 120_000);
    const victim = world.processes[randomBelow(random, world.processes.length)];
    victim?.machine.jumpWallClock(byMs);
    return victim && `the wall clock of ${victim.name} jumps by ${byMs} ms`;
  },
};

/** Of what autoscalers live by. Clusters of their own have these. */
const autoscalerFaults: Readonly<Record<string, Fault>> = {
  "stale cache of autoscalers": (world, random) => holdBack(world, random, ["horizontalpodautoscalers"]),
};

/** Of what the controllers of nodes live by. Clusters of their own have these. */
const nodeFaults: Readonly<Record<string, Fault>> = {
  "stale cache of nodes": (world, random) => holdBack(world, random, LAGGING_OF_NODES, 140_000),
  "API server away from all": (world, random) => {
    const forMs = 5_000 + randomBelow(random, 150_000);
    world.weather.outage = true;
    world.weather.outageOfAll = true;
    for (const { wire } of world.processes) wire.cutWatches();
    world.clock.setTimer(forMs, () => Object.assign(world.weather, { outage: false, outageOfAll: false }));
    return `nobody reaches the API server for ${forMs} ms`;
  },
};

/** Of what volumes live by. Clusters of their own have these. */
const volumeFaults: Readonly<Record<string, Fault>> = {
  "stale cache of volumes": (world, random) => holdBack(world, random, LAGGING_OF_VOLUMES, 90_000),
  "driver fails": (world, random) =>
    trouble(world, random, { ...wellDriver, failShare: 0.2 + random.next() * 0.7 }),
  "driver's answers are lost": (world, random) =>
    trouble(world, random, { ...wellDriver, lostShare: 0.2 + random.next() * 0.7 }),
  "driver is slow": (world, random) =>
    trouble(world, random, { failShare: 0.1, lostShare: 0.2, slowMs: 1_000 + randomBelow(random, 40_000) }),
};

function trouble(world: World, random: Random, troubles: DriverTroubles): string {
  const forMs = 2_000 + randomBelow(random, 90_000);
  world.weather.driver = troubles;
  world.clock.setTimer(forMs, () => (world.weather.driver = wellDriver));
  return `the driver of volumes has ${JSON.stringify(troubles)} for ${forMs} ms`;
}

/** Answers that say less than they seem to. Clusters of their own have these. */
const refusals: Readonly<Record<string, Fault>> = {
  "lost answers": (world, random) => {
    const forMs = 1_000 + randomBelow(random, 30_000);
    world.weather.errorShare = 0.1 + random.next() * 0.5;
    world.weather.errorFates = ["lost after", "timeout after"];
    world.clock.setTimer(forMs, () => (world.weather.errorShare = 0));
    return `${Math.round(world.weather.errorShare * 100)}% of the answers are lost for ${forMs} ms`;
  },
  "forbidden resource": (world, random) =>
    refuse(world, random, { set: world.weather.refusals.forbidden, names: REFUSED, how: "is forbidden" }),
  "forbidden discovery": (world, random) =>
    refuse(world, random, { set: world.weather.refusals.forbidden, names: ROOTS, how: "is forbidden" }),
  "failures with code 200": (world, random) =>
    refuse(world, random, {
      set: world.weather.refusals.failedWith200,
      names: [...REFUSED, ...ROOTS],
      how: "is answered with a Status and code 200",
    }),
  "incomplete discovery": (world, random) =>
    refuse(world, random, { set: world.weather.refusals.hidden, names: REFUSED, how: "is not in discovery" }),
  "unreadable event": (world, random) => {
    const { unreadable } = world.weather.refusals;
    const resource = REFUSED[randomBelow(random, REFUSED.length)] ?? "pods";
    const how = UNREADABLE[randomBelow(random, UNREADABLE.length)] ?? "broken JSON";
    unreadable.set(resource, how);
    world.clock.setTimer(LONGEST_REFUSAL_MS, () => unreadable.delete(resource));
    return `the next event of every watch of ${resource} cannot be read: ${how}`;
  },
};

const LONGEST_REFUSAL_MS = 45_000;
const ROOTS = ["/api", "/apis"];
const REFUSED = [...WATCHED.map(({ plural }) => plural), "resourcequotas", "configmaps", "secrets"];

interface Refusing {
  readonly set: Set<string>;
  readonly names: readonly string[];
  readonly how: string;
}

/** A watch of what is refused ends, as it must be asked for again. */
function refuse(world: World, random: Random, { set, names, how }: Refusing): string {
  const name = names[randomBelow(random, names.length)] ?? "";
  const forMs = 1_000 + randomBelow(random, LONGEST_REFUSAL_MS);
  set.add(name);
  world.clock.setTimer(forMs, () => set.delete(name));
  if (random.next() < 0.5) {
    if (random.next() < 0.7) world.server.parts.store.compact();
    for (const { wire } of world.processes) wire.cutWatches();
  }
  return `${name} ${how} for ${forMs} ms`;
}

export const faultNames: readonly string[] = Object.keys(faults);
export const refusalNames: readonly string[] = Object.keys(refusals);

export function strike(world: World, name: string, random: Random): void {
  const ofFamilies = nodeFaults[name] ?? deviceFaults[name] ?? autoscalerFaults[name] ?? volumeFaults[name];
  const what = (faults[name] ?? ofFamilies ?? refusals[name])?.(world, random);
  if (what !== undefined) world.trace?.add("fault", what);
}

function holdBack(world: World, random: Random, lagging: readonly string[], mostMs = 60_000): string {
  const resource = lagging[randomBelow(random, lagging.length)] ?? "pods";
  const forMs = 500 + randomBelow(random, mostMs);
  world.weather.lagUntilMs.set(resource, world.clock.monotonicMs() + forMs);
  return `events of ${resource} are held back for ${forMs} ms`;
}

function pause(world: World, victim: ManagerProcess, forMs: number): string {
  victim.machine.pause();
  world.clock.setTimer(forMs, () => {
    if (!victim.machine.isPaused) return;
    world.trace?.add(victim.name, "goes on");
    victim.machine.resume();
  });
  return `${victim.name} is paused for ${forMs} ms`;
}
