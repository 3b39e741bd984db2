import { expect, test } from "vitest";
import { job, NOW_MS, type PodSketch, pods } from "./samples.test-data.ts";
import { viewOf } from "./view.ts";

interface Case {
  readonly counted: readonly [succeeded: number, failed: number];
  readonly listed?: readonly [succeeded: string, failed: string];
  readonly released?: string;
  /** "uid Phase", with "-" behind it when it has no finalizer, and "x" when it is being deleted. */
  readonly pods: string;
  readonly expected: string;
}

// upstream: pkg/controller/job/job_controller_test.go#TestGetNewFinshedPods
test.each<[string, Case]>([
  [
    "that were counted count once",
    {
      counted: [2, 1],
      pods: "a Succeeded-, b Succeeded, c Succeeded, d Failed-, e Failed, f Running-",
      expected: "4 2",
    },
  ],
  [
    "that are listed count once",
    {
      counted: [1, 1],
      listed: ["a c", "e f"],
      pods: "a Succeeded-, b Succeeded-, c Succeeded, d Succeeded, e Failed-, f Failed, g Failed",
      expected: "4 4",
    },
  ],
  [
    "that were released count once",
    {
      counted: [2, 2],
      listed: ["a", "d"],
      released: "b f",
      pods: "a Succeeded-, b Succeeded, c Succeeded, d Failed-, e Failed, f Failed, g Failed",
      expected: "4 5",
    },
  ],
  [
    "that are being deleted count as failed, unless they have succeeded",
    {
      counted: [1, 1],
      pods: "a Succeededx, b Failedx, c Runningx, d Pendingx, e Runningx-, f Pendingx-",
      expected: "2 4",
    },
  ],
])(
  "pods %s",
  (_, { counted: [succeeded, failed], listed = ["", ""], released = "", pods: text, expected }) => {
    const [uncountedSucceeded, uncountedFailed] = listed.map(words);
    const subject = job(
      {},
      {
        succeeded,
        failed,
        uncountedTerminatedPods: { succeeded: uncountedSucceeded ?? [], failed: uncountedFailed ?? [] },
      },
    );
    const view = viewOf(subject, pods(...text.split(", ").map(sketchOf)), {
      released: new Set(words(released)),
    });
    expect(`${view.succeeded} ${view.failed}`).toBe(expected);
  },
);

function words(text: string): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}

function sketchOf(text: string): PodSketch {
  const [, uid = "", phase = "", deleted, untracked] = /^(\w) ([A-Z][a-w]+)(x?)(-?)$/.exec(text) ?? [];
  return { uid, phase, tracked: untracked !== "-", ...(deleted === "x" && { deletedMs: NOW_MS }) };
}
