/*
 * Election of the one process that works, by a Lease, and a fence that keeps all others from writing.
 */
export { leaseElection, type LeaseElection, type LeaseElectionOptions } from "./lease-election.ts";
export { LeaderElector, LeaseLostError, type ElectionOutcome, type ElectorOptions } from "./elector.ts";
export { LeaseLock, type LeaseClient, type LeaseLockOptions } from "./lease-lock.ts";
export { checkTiming, ElectionTimingError, type ElectionTiming } from "./election-timing.ts";
export { FencedError, LeaseFence, openGate, type WriteGate } from "./fence.ts";
export { fencedClient, type FencedClientSet } from "./fenced-client.ts";
export { fencedTransport } from "./fenced-transport.ts";
