import type { LeaseSpec } from "../api/types/coordination-v1.gen.ts";

/** What a Lease says about an election. The times are as on the wire and for people: no decision rests on them. */
export interface ElectionRecord {
  /** "" when nobody leads: the leader stepped down. */
  readonly holder: string;
  readonly leaseSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
  /** Of coordinated elections; kept when renewing. */
  readonly strategy?: string;
  readonly preferredHolder?: string;
}

export function recordOfSpec(spec: LeaseSpec | undefined): ElectionRecord {
  return {
    holder: spec?.holderIdentity ?? "",
    leaseSeconds: spec?.leaseDurationSeconds ?? 0,
    acquireTime: spec?.acquireTime ?? "",
    renewTime: spec?.renewTime ?? "",
    transitions: spec?.leaseTransitions ?? 0,
    ...(spec?.strategy === undefined ? {} : { strategy: spec.strategy }),
    ...(spec?.preferredHolder === undefined ? {} : { preferredHolder: spec.preferredHolder }),
  };
}

export function specOfRecord(record: ElectionRecord): LeaseSpec {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.leaseSeconds,
    ...(record.acquireTime === "" ? {} : { acquireTime: record.acquireTime }),
    ...(record.renewTime === "" ? {} : { renewTime: record.renewTime }),
    leaseTransitions: record.transitions,
    ...(record.strategy === undefined ? {} : { strategy: record.strategy }),
    ...(record.preferredHolder === undefined ? {} : { preferredHolder: record.preferredHolder }),
  };
}

export function sameRecord(left: ElectionRecord, right: ElectionRecord): boolean {
  return (
    left.holder === right.holder &&
    left.leaseSeconds === right.leaseSeconds &&
    left.acquireTime === right.acquireTime &&
    left.renewTime === right.renewTime &&
    left.transitions === right.transitions &&
    left.strategy === right.strategy &&
    left.preferredHolder === right.preferredHolder
  );
}
