import type { Stored } from "../../pkg/api/object.ts";
import { expect } from "vitest";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Verdict } from "./conditions.ts";
import { type Before, Recorder, syncOf } from "./recorder.test-data.ts";
import { job, NOW_MS, pod } from "./samples.test-data.ts";
import { countAndFinish } from "./sync-accounting.ts";
import { viewOf } from "./view.ts";

export interface Case {
  readonly subject?: Stored<Job>;
  /** "uid=phase@index/failures", the phase with "d" when it is being deleted and "u" when it is not tracked. */
  readonly pods?: string;
  readonly verdict?: Verdict;
  readonly before?: Before;
  /** Of each write: what is counted, what is listed, and what is said. */
  readonly writes: readonly string[];
  readonly released?: number;
  /** As the metrics have it. */
  readonly counted?: string;
  readonly fails?: true;
}

/** Counts these pods and compares what was written meanwhile. */
export async function count(_: string, { subject = job(), ...given }: Case): Promise<void> {
  const all = (given.pods ?? "")
    .split(" ")
    .filter((text) => text !== "")
    .map(podOf);
  const recorder = new Recorder(subject, given.before ?? {});
  const context = recorder.context(all);
  const view = viewOf(recorder.job, all, { released: context.finalizers.awaited(recorder.job) });
  const outcome = { ...outcomeOf(recorder.job, all), verdict: given.verdict };
  const [result] = await Promise.allSettled([countAndFinish(syncOf(recorder.job), context, view, outcome)]);
  const { statuses, released, counted } = recorder;
  expect(statuses.map(textOf)).toEqual(given.writes);
  expect(result?.status === "rejected").toBe(given.fails === true);
  expect(released).toBe(given.released ?? 0);
  expect(`${counted.succeeded} ${counted.failed}`).toBe(given.counted ?? "0 0");
}

/** Of a look that changes no counts of running pods. */
export function outcomeOf(
  { status = {} }: Stored<Job>,
  all: readonly Stored<Pod>[],
): Parameters<typeof countAndFinish>[3] {
  const terminating = all.filter(
    ({ metadata, status: { phase } = {} }) =>
      metadata.deletionTimestamp !== undefined && /P|R/.test(phase ?? ""),
  ).length;
  return {
    action: "tracking",
    active: status.active ?? 0,
    ready: 0,
    terminating,
    verdict: undefined,
    status: { ready: 0, terminating, ...status },
    suspended: undefined,
    waitMs: undefined,
    error: undefined,
  };
}

const PHASES = { S: "Succeeded", F: "Failed", P: "Pending", R: "Running" } as const;

function podOf(text: string): Stored<Pod> {
  const [, uid = "", phase = "P", flags = "", index, failures] =
    /^(\w+)=([SFPR])([du]*)(?:@(\d+))?(?:\/(\d+))?$/.exec(text) ?? [];
  return pod({
    uid,
    phase: PHASES[phase as keyof typeof PHASES],
    tracked: !flags.includes("u"),
    ...(flags.includes("d") && { deletedMs: NOW_MS }),
    ...(index !== undefined && { index }),
    ...(failures !== undefined && { failures }),
  });
}

function textOf(status: JobStatus): string {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods = {}, conditions = [] } = status;
  const { completedIndexes = "", failedIndexes } = status;
  return [
    `${succeeded} ${failed}`,
    `[${uncountedTerminatedPods.succeeded?.join(" ") ?? ""}|${uncountedTerminatedPods.failed?.join(" ") ?? ""}]`,
    ...(completedIndexes === "" ? [] : [`done ${completedIndexes}`]),
    ...(failedIndexes === undefined ? [] : [`failed ${failedIndexes}`]),
    ...conditions.map(({ type }) => type),
  ].join(" ");
}
