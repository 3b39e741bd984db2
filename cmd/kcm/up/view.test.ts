import { expect, test } from "vitest";
import type { Observation } from "./observer.ts";
import { viewLines } from "./view.ts";

const head = {
  url: "https://127.0.0.1:7443",
  startedMs: 0,
  rssBytes: 150 * 2 ** 20,
  hints: ["kubectl get pods"],
  problems: [],
};
const seen: Observation = {
  nowMs: 3_723_000,
  controllers: [
    { name: "deployment-controller", queued: 4, running: 5, syncs: 90, syncsPerSecond: 12.4 },
    { name: "scheduler", queued: 0, running: 0, syncs: 7, syncsPerSecond: 0 },
  ],
  phases: [
    ["Pending", 2],
    ["Running", 9_998],
    ["Failed", 0],
  ],
  events: [
    {
      atMs: 3_720_000,
      type: "Warning",
      reason: "FailedScheduling",
      about: "pod/a/b",
      message: "no\x1b[2Jroom",
    },
    { atMs: 0, type: "Normal", reason: "Scheduled", about: "pod/a/c", message: "assigned" },
  ],
  revision: 42,
};

// oxlint-disable-next-line no-control-regex
const plain = (line: string): string => line.replaceAll(/\x1b\[\d+m/g, "");
const linesAt = (columns: number, rows: number): readonly string[] =>
  viewLines(head, seen, { columns, rows }).map(plain);

test("shows the cluster, its controllers, pods by phase and the newest events", () => {
  expect(linesAt(100, 16)).toEqual([
    "kcm  https://127.0.0.1:7443  up 1h2m  150 MiB  revision 42",
    "  kubectl get pods",
    "",
    "CONTROLLER                                    QUEUED  RUNNING  SYNCS/S",
    "deployment-controller                              4        5       12",
    "scheduler                                          0        0        -",
    "",
    "Pods  Pending 2   Running 9998",
    "",
    "     3s  FailedScheduling     pod/a/b  no [2Jroom",
    "   1h2m  Scheduled            pod/a/c  assigned",
    "",
    "",
    "",
    "",
    "Ctrl-C ends the cluster",
  ]);
});

test.each([1, 2, 5, 8, 9, 10, 11, 24, 200])("fits a screen of %i rows, whatever its width", (rows) => {
  for (const columns of [1, 20, 57, 80, 300]) {
    const lines = linesAt(columns, rows);
    expect(lines).toHaveLength(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  }
});

test("shows what went wrong lately", () => {
  const problems = ["E1 one", "E2 two", "E3 three", "E4 four"];
  const lines = viewLines({ ...head, problems }, seen, { columns: 80, rows: 30 }).map(plain);
  expect(lines.filter((line) => /^E\d /.test(line))).toEqual(["E2 two", "E3 three", "E4 four"]);
});
