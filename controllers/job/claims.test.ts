import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { LABELS, ownedBy, Recorder, syncOf, withSelector } from "./recorder.test-data.ts";
import { job, NOW_MS, pod } from "./samples.test-data.ts";
import { syncJob } from "./sync.ts";

const mine = withSelector(job({ parallelism: 2 }));
const other = { ...mine, metadata: { ...mine.metadata, name: "other", uid: "other-uid" } };
const going = { ...mine, metadata: { ...mine.metadata, deletionTimestamp: formatTime(NOW_MS) } };
const named = (uid: string): Stored<Pod> => pod({ uid, tracked: false });
const labelled = (uid: string): Stored<Pod> => {
  const { metadata, ...rest } = named(uid);
  return { ...rest, metadata: { ...metadata, labels: LABELS } };
};
const unlabelled = (uid: string): Stored<Pod> => {
  const { metadata, ...rest } = ownedBy(mine, named(uid));
  return { ...rest, metadata: { ...metadata, labels: {} } };
};

// upstream: pkg/controller/job/job_controller_test.go#TestGetPodsForJob
describe("the pods of a Job are", () => {
  test.for<[string, Stored<Job>, readonly Stored<Pod>[], number, readonly string[]]>([
    [
      "those that it manages",
      mine,
      [ownedBy(mine, named("1")), ownedBy(other, named("2")), named("3"), ownedBy(mine, named("4"))],
      2,
      [],
    ],
    [
      "those that it can adopt as well",
      mine,
      [ownedBy(mine, named("1")), labelled("2"), ownedBy(other, named("3"))],
      2,
      ["2 adopted"],
    ],
    ["no others when it is being deleted", going, [ownedBy(mine, named("1")), labelled("2")], 1, []],
    ["not those with other labels", mine, [ownedBy(mine, named("1")), unlabelled("2")], 1, ["2 let go"]],
  ])("%s", async ([, subject, all, active, patches]) => {
    const recorder = new Recorder(subject, { looseToo: true });
    await look(recorder, all);
    expect(recorder.patches.map(inShort)).toEqual(patches);
    // What is missing was created.
    const written = recorder.statuses.at(-1)?.active ?? 0;
    expect(written - recorder.created.length).toBe(
      active - (active === 2 && patches[0] === "2 let go" ? 1 : 0),
    );
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestFinalizersRemovedExpectations, before pods change
test.each([
  [true, 0],
  [false, 4],
])("finalizers are awaited to go that were taken off, not others (failing: %s)", async (fails, awaited) => {
  const recorder = new Recorder(mine, fails ? { podsFail: true } : {});
  const all = ["Succeeded", "Succeeded", "Failed", "Failed"].map((phase, uid) =>
    pod({ uid: `${uid}`, phase }),
  );
  const context = recorder.context(all);
  const [result] = await Promise.allSettled([syncJob(syncOf(mine), context)]);
  expect(result?.status).toBe(fails ? "rejected" : "fulfilled");
  expect(context.finalizers.awaited(mine).size).toBe(awaited);
});

// upstream: pkg/controller/job/tracking_utils_test.go#TestRecordJobPodFailurePolicyActions
test("the metric of policies counts each action", async () => {
  const rules = [
    { action: "Ignore", onExitCodes: { operator: "In", values: [1] } },
    { action: "Count", onExitCodes: { operator: "In", values: [2] } },
  ];
  const recorder = new Recorder(job({ podFailurePolicy: { rules } }), {});
  const codes = [1, 2, 1, 3, 1];
  await look(
    recorder,
    codes.map((exitCode, uid) => ownedBy(recorder.job, pod({ uid: `${uid}`, phase: "Failed", exitCode }))),
  );
  expect(recorder.policyActions.toSorted()).toEqual(["1 Count", "3 Ignore"]);
});

async function look(recorder: Recorder, all: readonly Stored<Pod>[]): Promise<void> {
  await syncJob(syncOf(recorder.job), recorder.context(all));
}

function inShort(patch: string): string {
  const [name = ""] = patch.split(" ");
  return `${name} ${patch.includes('"$patch":"delete"') ? "let go" : "adopted"}`;
}
