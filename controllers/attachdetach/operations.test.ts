import { beforeEach, describe, expect, test } from "vitest";
import { type Operation, type OperationName, Operations } from "./operations.ts";
import { volumeKey } from "./volume-key.ts";

const here = { node: "node-1", volume: "a" };
const there = { node: "node-2", volume: "a" };
const other = { node: "node-2", volume: "b" };
const KEY = volumeKey(here);

const operation = (name: OperationName, isExclusive: boolean, place = here): Operation => ({
  ...place,
  name,
  isExclusive,
  startMs: 0,
  phase: "waiting",
  firstVersion: undefined,
  isSeen: false,
});

let operations: Operations;
beforeEach(() => {
  operations = new Operations();
});

// upstream: pkg/volume/util/nestedpendingoperations/nestedpendingoperations_test.go
describe("while something is done with a volume on one node", () => {
  test.each<[string, boolean, typeof here, boolean, boolean]>([
    ["nothing is done with it on another, when it is for one", true, there, true, true],
    ["much may be done with it on others, when it is for many", false, there, false, false],
    ["who is alone waits for one of many", false, there, true, true],
    ["one of many waits for who is alone", true, there, false, true],
    ["other volumes are free", true, other, true, false],
    ["it is not in its own way", true, here, true, false],
  ])("%s", (...[, isExclusive, place, isAlone, isBusy]) => {
    operations.start(operation("volume_attach", isExclusive));
    expect(operations.isBusy(place, isAlone)).toBe(isBusy);
    operations.end(KEY);
    expect(operations.isBusy(place, isAlone)).toBe(false);
  });
});

// upstream: pkg/util/goroutinemap/exponentialbackoff/exponential_backoff.go
describe("what has failed", () => {
  const fail = (name: OperationName, nowMs: number): number | undefined => {
    operations.start(operation(name, true));
    operations.fail(KEY, nowMs);
    return operations.delay(KEY, name, nowMs)?.durationMs;
  };

  test("is left alone for half a second, twice as long each time, and for 122 s at most", () => {
    const delays = Array.from({ length: 10 }, () => fail("volume_attach", 0));
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000]);
  });

  test("is left alone until then", () => {
    fail("volume_attach", 0);
    expect(operations.delay(KEY, "volume_attach", 499)?.untilMs).toBe(500);
    expect(operations.delay(KEY, "volume_attach", 500)).toBeUndefined();
  });

  test("does not hold up what is something else, and counts no more then", () => {
    fail("volume_attach", 0);
    fail("volume_attach", 0);
    expect(operations.delay(KEY, "volume_detach", 0)).toBeUndefined();
    expect(fail("volume_detach", 0)).toBe(500);
    expect(fail("volume_attach", 0)).toBe(500);
  });

  test("is forgotten when it has succeeded", () => {
    fail("volume_attach", 0);
    operations.start(operation("volume_attach", true));
    operations.end(KEY);
    expect(operations.delay(KEY, "volume_attach", 0)).toBeUndefined();
    expect(fail("volume_attach", 0)).toBe(500);
  });

  test("was nothing, where nothing was begun", () => {
    operations.fail(KEY, 0);
    expect(operations.delay(KEY, "volume_attach", 0)).toBeUndefined();
  });
});
