import { expect, test } from "vitest";
import { podColumns } from "./pod-columns.ts";

const nowMs = Date.UTC(2026, 0, 1, 1);
const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const ready = { name: "app", ready: true, restartCount: 0, state: running };
const ended = (exitCode: number, reason: string): object => ({ terminated: { exitCode, reason } });
const spec = { containers: [{ name: "app" }] };
const withInit = { ...spec, initContainers: [{ name: "i1" }, { name: "i2" }] };

function cells(pod: object): unknown[] {
  const object = { metadata: { name: "p", creationTimestamp: "2026-01-01T00:00:00Z" }, ...pod };
  return podColumns.slice(1, 5).map((column) => column.cell(object, nowMs));
}

test.each([
  ["pending", { spec, status: { phase: "Pending" } }, ["0/1", "Pending", "0", "60m"]],
  [
    "running",
    { spec, status: { phase: "Running", containerStatuses: [ready] } },
    ["1/1", "Running", "0", "60m"],
  ],
  [
    "waiting for a restart",
    {
      spec,
      status: {
        phase: "Running",
        containerStatuses: [
          {
            ...ready,
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:50:00Z" } },
          },
        ],
      },
    },
    ["0/1", "CrashLoopBackOff", "3 (10m ago)", "60m"],
  ],
  [
    "in its second init container",
    {
      spec: withInit,
      status: {
        phase: "Pending",
        initContainerStatuses: [
          { name: "i1", restartCount: 1, state: ended(0, "Completed") },
          { name: "i2", restartCount: 0, state: running },
        ],
      },
    },
    ["0/1", "Init:1/2", "1", "60m"],
  ],
  [
    "with a failing init container",
    {
      spec: withInit,
      status: {
        phase: "Pending",
        initContainerStatuses: [{ name: "i1", restartCount: 2, state: ended(1, "Error") }],
      },
    },
    ["0/1", "Init:Error", "2", "60m"],
  ],
  [
    "completed",
    {
      spec,
      status: {
        phase: "Succeeded",
        containerStatuses: [{ ...ready, ready: false, state: ended(0, "Completed") }],
      },
    },
    ["0/1", "Completed", "0", "60m"],
  ],
  [
    "killed by a signal",
    {
      spec,
      status: {
        phase: "Failed",
        containerStatuses: [
          { name: "app", restartCount: 0, state: { terminated: { exitCode: 137, signal: 9 } } },
        ],
      },
    },
    ["0/1", "Signal:9", "0", "60m"],
  ],
  [
    "half done",
    {
      spec: { containers: [{ name: "app" }, { name: "job" }] },
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [{ name: "job", restartCount: 0, state: ended(0, "Completed") }, ready],
      },
    },
    ["1/2", "Running", "0", "60m"],
  ],
  [
    "gated",
    { spec, status: { phase: "Pending", conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] } },
    ["0/1", "SchedulingGated", "0", "60m"],
  ],
  [
    "on a lost node",
    {
      metadata: {
        name: "p",
        creationTimestamp: "2026-01-01T00:00:00Z",
        deletionTimestamp: "2026-01-01T00:10:00Z",
      },
      spec,
      status: { phase: "Running", reason: "NodeLost", containerStatuses: [ready] },
    },
    ["1/1", "Unknown", "0", "60m"],
  ],
  [
    "terminating",
    {
      metadata: {
        name: "p",
        creationTimestamp: "2026-01-01T00:00:00Z",
        deletionTimestamp: "2026-01-01T00:10:00Z",
      },
      spec,
      status: { phase: "Running", containerStatuses: [ready] },
    },
    ["1/1", "Terminating", "0", "60m"],
  ],
])("a pod %s", (_name, pod, expected) => {
  expect(cells(pod)).toEqual(expected);
});
