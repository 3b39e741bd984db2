import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import { isExpired } from "./expiry.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 10);
const ago = (ms: number): string => formatTime(NOW_MS - ms);

const metadata = (ageMs: number) => ({ name: "r", creationTimestamp: ago(ageMs) });
const condition = (type: string, ageMs: number) => ({
  type,
  status: "True",
  reason: "R",
  message: "",
  lastTransitionTime: ago(ageMs),
});
const answered = (ageMs: number, ...conditions: ReturnType<typeof condition>[]) => ({
  metadata: metadata(ageMs),
  status: { poolCount: 0, conditions },
});

// upstream: pkg/controller/resourcepoolstatusrequest/controller_test.go#TestShouldDeleteRequest, #TestIsOlderThan
describe("a request", () => {
  test.each<[string, Parameters<typeof isExpired>[0], boolean]>([
    ["that was answered just now stays", answered(0, condition("Complete", 0)), false],
    ["that was answered half an hour ago stays", answered(0, condition("Complete", HOUR_MS / 2)), false],
    [
      "that was answered a minute less than an hour ago stays",
      answered(0, condition("Complete", HOUR_MS - 60_000)),
      false,
    ],
    ["that was answered an hour ago stays", answered(0, condition("Complete", HOUR_MS)), false],
    ["that was answered longer ago goes", answered(0, condition("Complete", HOUR_MS + 1_000)), true],
    ["that was answered two hours ago goes", answered(2 * HOUR_MS, condition("Complete", 2 * HOUR_MS)), true],
    ["that failed two hours ago goes", answered(2 * HOUR_MS, condition("Failed", 2 * HOUR_MS)), true],
    ["that waited long for its answer stays", answered(20 * HOUR_MS, condition("Complete", 0)), false],
    [
      "goes by the first condition that says that it was answered",
      answered(
        0,
        condition("Other", 9 * HOUR_MS),
        condition("Failed", 0),
        condition("Complete", 9 * HOUR_MS),
      ),
      false,
    ],
    ["with a status that says nothing goes by its age", answered(2 * HOUR_MS, condition("Other", 0)), true],
    [
      "with a status that says nothing stays while it is young",
      answered(0, condition("Other", 9 * HOUR_MS)),
      false,
    ],
    ["that is new stays", { metadata: metadata(0) }, false],
    ["that waits stays for a day", { metadata: metadata(24 * HOUR_MS) }, false],
    ["that waits longer goes", { metadata: metadata(25 * HOUR_MS) }, true],
    ["without a time stays", { metadata: { name: "r" } }, false],
  ])("%s", (_, request, expected) => {
    expect(isExpired(request, NOW_MS)).toBe(expected);
  });
});
