import { describe, expect, test } from "vitest";
import { parseTime } from "../time.ts";
import { wantsMore, withResizeDone, withResizeOnController, withResizeOnNode } from "./claim-resize.ts";

const before = "2026-11-19T08:00:00Z";
const now = "2026-11-19T09:00:00Z";
const nowMs = parseTime(now) ?? 0;
const resizing = { type: "Resizing", status: "True", lastTransitionTime: before };
const other = { type: "Unused", status: "True", lastTransitionTime: before };
const pending = {
  type: "FileSystemResizePending",
  status: "True",
  lastTransitionTime: now,
  message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
};

// upstream: pkg/volume/util/resize_util_test.go#TestMergeResizeCondition
describe("conditions", () => {
  test("of a resize that is done are gone, and others stay", () => {
    expect(withResizeDone({ conditions: [resizing, other] }, "2Gi").conditions).toEqual([other]);
    expect(withResizeDone({}, "2Gi")).toEqual({ capacity: { storage: "2Gi" } });
  });

  test("of a resize on nodes come beside those of controllers", () => {
    expect(withResizeOnNode({ conditions: [resizing] }, nowMs).conditions).toEqual([resizing, pending]);
    expect(withResizeOnNode({}, nowMs).conditions).toEqual([pending]);
  });

  test("that say so already stay as they were, in their places", () => {
    expect(withResizeOnController({ conditions: [resizing, other] }, "2Gi", nowMs).conditions).toEqual([
      resizing,
      other,
    ]);
    const conditions = [{ ...pending, lastTransitionTime: before }, other];
    expect(withResizeOnNode({ conditions }, nowMs).conditions).toEqual(conditions);
  });

  test("that said otherwise say so now", () => {
    const conditions = [{ ...resizing, status: "False" }, other];
    expect(withResizeOnController({ conditions }, "2Gi", nowMs).conditions).toEqual([
      { ...resizing, lastTransitionTime: now },
      other,
    ]);
  });

  test("of a resize that begins anew replace those of the one before", () => {
    const failed = { ...resizing, type: "NodeResizeError" };
    expect(withResizeOnController({ conditions: [failed, pending, other] }, "2Gi", nowMs).conditions).toEqual(
      [other, { ...resizing, lastTransitionTime: now }],
    );
  });
});

// upstream: pkg/volume/util/resize_util_test.go#TestResizeFunctions
describe("the state of the resize", () => {
  const cpu = { cpu: "ControllerResizeInfeasible" };

  test("is that nodes are waited for", () => {
    expect(withResizeOnNode({}, nowMs).allocatedResourceStatuses).toEqual({ storage: "NodeResizePending" });
  });

  test("stands beside that of other resources", () => {
    expect(withResizeOnNode({ allocatedResourceStatuses: cpu }, nowMs).allocatedResourceStatuses).toEqual({
      ...cpu,
      storage: "NodeResizePending",
    });
  });

  test("is that a controller works at it, and how much there will be", () => {
    const status = withResizeOnController({ allocatedResources: { storage: "1Gi", cpu: "1" } }, "2Gi", nowMs);
    expect(status).toMatchObject({
      allocatedResources: { storage: "2Gi", cpu: "1" },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    });
  });

  test("is gone with the resize, and that of other resources stays", () => {
    const allocatedResources = { storage: "2Gi" };
    const status = {
      allocatedResources,
      allocatedResourceStatuses: { ...cpu, storage: "NodeResizePending" },
    };
    expect(withResizeDone(status, "2Gi")).toEqual({
      allocatedResources,
      allocatedResourceStatuses: cpu,
      capacity: { storage: "2Gi" },
    });
    const only = { allocatedResourceStatuses: { storage: "NodeResizePending" } };
    expect(withResizeDone(only, "2Gi")).toEqual({ capacity: { storage: "2Gi" } });
  });
});

test.each([
  ["2Gi", "1Gi", true],
  ["1Gi", "1024Mi", false],
  ["1Gi", "2Gi", false],
  ["1", undefined, true],
  [undefined, undefined, false],
])("a claim that asks for %s and has %s wants more: %s", (storage, has, expected) => {
  const spec = storage === undefined ? {} : { resources: { requests: { storage } } };
  expect(wantsMore({ spec, status: has === undefined ? {} : { capacity: { storage: has } } })).toBe(expected);
});
