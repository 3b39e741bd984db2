import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobSpec, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import {
  FAILURES_ANNOTATION,
  IGNORED_FAILURES_ANNOTATION,
  INDEX_ANNOTATION,
  TRACKING_FINALIZER,
} from "./job-pods.ts";

export const NOW_MS = Date.UTC(2026, 0, 1);

export function job(spec: Partial<JobSpec> = {}, status: JobStatus = {}): Stored<Job> {
  return asStored<Job>({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job", namespace: "default", uid: "job-uid" },
    spec: { template: {}, parallelism: 1, backoffLimit: 6, ...spec },
    status,
  });
}

export function indexed(
  completions: number,
  spec: Partial<JobSpec> = {},
  status: JobStatus = {},
): Stored<Job> {
  return job({ completionMode: "Indexed", completions, ...spec }, status);
}

export interface PodSketch {
  readonly uid?: string;
  readonly phase?: string;
  /** As the annotation has it. */
  readonly index?: string | number;
  readonly failures?: string | number;
  readonly ignored?: number;
  /** Tracked unless this is false. */
  readonly tracked?: boolean;
  readonly deletedMs?: number;
  readonly exitCode?: number;
  /** When its only container finished. */
  readonly finishedMs?: number;
  readonly ready?: boolean;
  /** The type of one that is true. */
  readonly condition?: string;
}

export function pod(sketch: PodSketch = {}): Stored<Pod> {
  const {
    uid = "pod",
    phase = "Running",
    index,
    failures,
    ignored,
    deletedMs,
    finishedMs,
    exitCode,
  } = sketch;
  const annotations = {
    ...(index !== undefined && { [INDEX_ANNOTATION]: `${index}` }),
    ...(failures !== undefined && { [FAILURES_ANNOTATION]: `${failures}` }),
    ...(ignored !== undefined && { [IGNORED_FAILURES_ANNOTATION]: `${ignored}` }),
  };
  const terminated = {
    exitCode: exitCode ?? 0,
    ...(finishedMs !== undefined && { finishedAt: formatTime(finishedMs) }),
  };
  const conditions = [
    ...(sketch.ready ? ["Ready"] : []),
    ...(sketch.condition ? [sketch.condition] : []),
  ].map((type) => ({ type, status: "True" }));
  const container = { name: "c", image: "", imageID: "", ready: false, restartCount: 0 };
  const hasEnded = exitCode !== undefined || finishedMs !== undefined;
  return asStored<Pod>({
    metadata: {
      name: uid,
      namespace: "default",
      uid,
      annotations,
      ...(sketch.tracked !== false && { finalizers: [TRACKING_FINALIZER] }),
      ...(deletedMs !== undefined && { deletionTimestamp: formatTime(deletedMs) }),
    },
    status: {
      phase,
      ...(hasEnded && { containerStatuses: [{ ...container, state: { terminated } }] }),
      ...(conditions.length > 0 && { conditions }),
    },
  });
}

export function pods(...sketches: readonly PodSketch[]): readonly Stored<Pod>[] {
  return sketches.map((sketch, position) => pod({ uid: `pod-${position}`, ...sketch }));
}

const PHASES: Readonly<Record<string, PodSketch>> = {
  P: { phase: "Pending" },
  R: { phase: "Running" },
  r: { phase: "Running", ready: true },
  T: { phase: "Running", deletedMs: NOW_MS },
  S: { phase: "Succeeded" },
  F: { phase: "Failed" },
};

/**
 * Pods by phase, such as "2P 1F" or, with their indexes, "0:S x:R": pending, running (r: and ready), terminating,
 * succeeded, failed. Behind that may follow the failures of the index before ("0:F/1"), an exit code ("F=5") and a
 * condition ("F!Disrupted"). They have ended long ago, so that nothing waits for them.
 */
export function podsBy(text: string): readonly Stored<Pod>[] {
  const words = text.split(" ").filter((word) => word !== "");
  const sketches = words.flatMap((word): readonly PodSketch[] => {
    const [, count, index, letter = "", failures, exitCode, condition] = WORD.exec(word) ?? [];
    if (letter === "") throw new Error(`no pod: ${word}`);
    const sketch = {
      ...PHASES[letter],
      finishedMs: NOW_MS - 86_400_000,
      ...(index !== undefined && { index }),
      ...(failures !== undefined && { failures }),
      ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
      ...(condition !== undefined && { condition }),
    };
    return Array.from({ length: Number(count ?? 1) }, () => sketch);
  });
  return pods(...sketches);
}

const WORD = /^(?:(\d+)|(\w+):)?([PRrTSF])(?:\/(\d+))?(?:=(\d+))?(?:!(\w+))?$/;
