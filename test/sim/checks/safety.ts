import type { Status } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Lease } from "../../../pkg/api/types/coordination-v1.gen.ts";
import type { StoredEvent } from "../../../pkg/apiserver/storage/bucket.ts";
import { objectsIn } from "../world/objects.ts";
import { LEASE, type ManagerProcess } from "../world/process.ts";
import { describeRequest } from "../world/request-of.ts";
import type { Arrival } from "../world/wire.ts";
import type { World } from "../world/world.ts";
import { AutoscalerSafety } from "./autoscaler-safety.ts";
import { AttachmentSafety } from "./attachment-safety.ts";
import { Beliefs } from "./beliefs.ts";
import { BudgetSafety } from "./budget-safety.ts";
import { ClusterView } from "./cluster-view.ts";
import { EvictionSafety } from "./eviction-safety.ts";
import { NodeSafety } from "./node-safety.ts";
import { NodeStates } from "./node-states.ts";
import { RangeSafety } from "./range-safety.ts";
import { DaemonSafety } from "./daemon-safety.ts";
import { DeviceSafety } from "./device-safety.ts";
import { GarbageSafety } from "./garbage-safety.ts";
import { IdentitySafety } from "./identity-safety.ts";
import { IdleWrites } from "./idle-writes.ts";
import { JobSafety } from "./job-safety.ts";
import { LifecycleSafety } from "./lifecycle-safety.ts";
import { OwnConflicts } from "./own-conflicts.ts";
import { ReplicaSafety } from "./replica-safety.ts";
import { Restless } from "./restless.ts";
import { ServiceSafety } from "./service-safety.ts";
import { StatefulSafety } from "./stateful-safety.ts";
import { VolumeSafety } from "./volume-safety.ts";

const CONFLICT = 409;
/** What the server says to what nobody should ask for: bad requests, and objects that cannot be. */
const MISTAKES: ReadonlySet<number> = new Set([400, 405, 413, 415, 422]);

/** Judges every write of a controller manager in the moment in which it takes effect. */
export function checkSafety(world: World): void {
  const beliefs = new Beliefs(world);
  const view = new ClusterView(world);
  const judges = [
    new ReplicaSafety(world, beliefs, view),
    new JobSafety(world, beliefs, view),
    new GarbageSafety(world, beliefs),
    new LifecycleSafety(world, beliefs),
    new StatefulSafety(world, beliefs),
    new DaemonSafety(world, beliefs),
    new ServiceSafety(world, beliefs),
    new BudgetSafety(world, beliefs),
    new IdentitySafety(world, beliefs),
    new DeviceSafety(world, beliefs),
    ...nodeJudges(world, beliefs),
    ...(world.autoscales ? [new AutoscalerSafety(world, beliefs)] : []),
    ...volumeJudges(world, beliefs),
  ];
  const idleWrites = new IdleWrites(world, beliefs);
  const restless = new Restless(world);
  const ownConflicts = new OwnConflicts(world, beliefs);
  /** What the write under way did. */
  let events: { readonly bucket: string; readonly event: StoredEvent }[] = [];
  for (const bucket of Object.values(world.history.buckets)) {
    world.server.parts.store.subscribe(bucket, (event) => {
      if (world.actor.process !== undefined) events.push({ bucket, event });
    });
  }
  world.onManagerWrite = (arrival, process) => {
    const happened = events;
    events = [];
    if (arrival.facts.resource === "leases") return checkWriters(world);
    checkLease(world, arrival, process);
    const { facts, client, ambiguous } = arrival;
    const line = `${process.name}: ${describeRequest(facts)}`;
    restless.judge(arrival, process);
    if (happened.length === 0) idleWrites.judge(arrival, process);
    if (ambiguous) ownConflicts.notAnswered(arrival);
    for (const { bucket, event } of happened) {
      idleWrites.judgeChange(event, arrival, process);
      for (const judge of judges) judge.judge({ bucket, event, facts, process, client, ambiguous, line });
    }
  };
  world.onManagerGaveUp = (arrival) => ownConflicts.notAnswered(arrival);
  world.onManagerRefused = (arrival, process) => {
    const { facts, status, answer, client } = arrival;
    if (status === CONFLICT) ownConflicts.judge(arrival, process);
    const { message = "" } = answer as Status;
    if (!MISTAKES.has(status) || isOfAnother(message)) return;
    world.violate(`${process.name}: ${describeRequest(facts)}: the server says ${message} (${client})`);
  };
}

/** Where there are controllers of nodes. */
function nodeJudges(world: World, beliefs: Beliefs) {
  if (world.nodeSettings === undefined) return [];
  const nodes = new NodeStates(world);
  return [
    new NodeSafety(world, beliefs, nodes),
    new EvictionSafety(world, beliefs, nodes),
    new RangeSafety(world, beliefs),
  ];
}

/** Where there is a driver of volumes. */
function volumeJudges(world: World, beliefs: Beliefs) {
  if (world.disks === undefined) return [];
  return [new VolumeSafety(world, beliefs), new AttachmentSafety(world, beliefs)];
}

/** However a Lease changes hands, no two processes believe that they may write. */
function checkWriters(world: World): void {
  const writers = world.processes.filter(({ elector }) => elector.fence.canWrite());
  if (writers.length > 1) world.violate(`${writers.map(({ name }) => name).join(" and ")} may all write`);
}

/** Nobody writes but the holder of the Lease: not before, not after, and not on behalf of a released one. */
function checkLease(world: World, { facts }: Arrival, process: ManagerProcess): void {
  const leases = objectsIn<Lease>(world.server.parts.store, resources.leases);
  const lease = leases.find(({ metadata }) => metadata.name === LEASE.name);
  const holder = lease?.spec?.holderIdentity ?? "";
  if (holder === process.name) return;
  world.violate(`${process.name}: ${describeRequest(facts)} while the Lease is ${holder || "nobody"}'s`);
}

/** What a patch hears that names the uid of one that has gone, or that gives an owner to what has got another meanwhile. */
function isOfAnother(message: string): boolean {
  return (
    /metadata\.uid: Invalid value: .*: field is immutable/.test(message) ||
    /metadata\.ownerReferences: Invalid value: .*Only one reference can have Controller set to true/s.test(
      message,
    )
  );
}
