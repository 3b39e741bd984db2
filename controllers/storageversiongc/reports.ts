import { findCondition } from "../../pkg/api/conditions.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type {
  V1alpha1ServerStorageVersion as Report,
  V1alpha1StorageVersion as StorageVersion,
  V1alpha1StorageVersionCondition as VersionCondition,
  V1alpha1StorageVersionStatus as VersionStatus,
} from "../../pkg/api/types/internal-v1alpha1.gen.ts";

export const VERSION_FIELDS = ["status.storageVersions"] as const;
export type CachedVersion = Projected<StorageVersion, typeof VERSION_FIELDS>;

const AGREEMENT = "AllEncodingVersionsEqual";

type Reported = PartialObject & {
  readonly status?: { readonly storageVersions?: readonly Report[] | undefined } | undefined;
};

/** What each API server has reported of the resource. */
export function reportsOf({ status }: Reported): readonly Report[] {
  return status?.storageVersions ?? [];
}

/** What is left of a StorageVersion without the reports of API servers that are gone. */
export type ReportsPlan =
  | { readonly action: "keep" }
  | { readonly action: "remove" }
  | { readonly action: "update"; readonly version: StorageVersion };

export function planReports(
  version: StorageVersion,
  isGone: (id: string) => boolean,
  nowMs: number,
): ReportsPlan {
  const reports = reportsOf(version);
  const left = reports.filter(({ apiServerID }) => !isGone(apiServerID));
  if (left.length === reports.length) return { action: "keep" };
  if (left.length === 0) return { action: "remove" };
  return { action: "update", version: { ...version, status: statusWith(version, left, nowMs) } };
}

/** upstream: apiserver/pkg/storageversion/updater.go#SetCommonEncodingVersion */
function statusWith(
  { metadata, status = {} }: StorageVersion,
  storageVersions: readonly Report[],
  nowMs: number,
): VersionStatus {
  const { commonEncodingVersion: former, conditions = [], ...kept } = status;
  const [common, ...others] = new Set(storageVersions.map(({ encodingVersion }) => encodingVersion));
  const isAgreed = common !== undefined && others.length === 0;
  const before = findCondition(conditions, AGREEMENT);
  // Another version that all agree on is a transition, too.
  const hasMoved = isAgreed && former !== undefined && former !== common;
  const condition = {
    ...agreement(isAgreed, nowMs),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  const isSame = before !== undefined && before.status === condition.status && !hasMoved;
  const next = isSame ? { ...condition, lastTransitionTime: before.lastTransitionTime ?? null } : condition;
  return {
    ...kept,
    storageVersions,
    ...(isAgreed && { commonEncodingVersion: common }),
    conditions:
      before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one)),
  };
}

function agreement(isAgreed: boolean, nowMs: number): VersionCondition {
  return {
    type: AGREEMENT,
    status: isAgreed ? "True" : "False",
    lastTransitionTime: formatTime(nowMs),
    reason: isAgreed ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: isAgreed ? "Common encoding version set" : "Common encoding version unset",
  };
}
