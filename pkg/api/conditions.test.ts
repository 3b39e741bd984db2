import { describe, expect, test } from "vitest";
import { findCondition, hasCondition, removeCondition, setCondition } from "./conditions.ts";
import type { Condition } from "./types/meta.gen.ts";

const old = "2026-01-01T00:00:00Z";
const now = "2026-01-02T00:00:00Z";
const nowMs = Date.UTC(2026, 0, 2);
const ready: Condition = {
  type: "Ready",
  status: "True",
  reason: "Ok",
  message: "fine",
  lastTransitionTime: old,
};
const other: Condition = {
  type: "Other",
  status: "False",
  reason: "No",
  message: "",
  lastTransitionTime: old,
};
const { lastTransitionTime: _, ...readyNow } = ready;

describe("setCondition", () => {
  test("adds a missing condition with the present time", () => {
    expect(setCondition([other], readyNow, nowMs)).toEqual([other, { ...ready, lastTransitionTime: now }]);
  });

  test("keeps a time that the new condition brings", () => {
    expect(setCondition([], ready, nowMs)).toEqual([ready]);
    const next = { ...ready, status: "False", lastTransitionTime: "2025-01-01T00:00:00Z" };
    expect(setCondition([ready], next, nowMs)).toEqual([next]);
  });

  test("moves the transition time when the status changes", () => {
    const next = { ...readyNow, status: "False" };
    expect(setCondition([other, ready], next, nowMs)).toEqual([other, { ...next, lastTransitionTime: now }]);
  });

  test.each<[string, Partial<Condition>]>([
    ["reason", { reason: "Other" }],
    ["message", { message: "other" }],
    ["observedGeneration", { observedGeneration: 2 }],
  ])("keeps the transition time when only the %s changes", (_name, change) => {
    expect(setCondition([ready], { ...readyNow, ...change }, nowMs)).toEqual([{ ...ready, ...change }]);
  });

  test("drops an observedGeneration that is no longer said", () => {
    expect(setCondition([{ ...ready, observedGeneration: 1 }], readyNow, nowMs)).toEqual([ready]);
  });

  test("returns the same list when nothing changes", () => {
    const list = [other, ready];
    expect(setCondition(list, readyNow, nowMs)).toBe(list);
    expect(setCondition(list, { ...readyNow, lastTransitionTime: now }, nowMs)).toBe(list);
    expect(setCondition(list, { ...readyNow, observedGeneration: 0 }, nowMs)).toBe(list);
  });
});

test("removeCondition drops the type, or returns the same list", () => {
  const list = [ready, other];
  expect(removeCondition(list, "Ready")).toEqual([other]);
  expect(removeCondition(list, "None")).toBe(list);
});

test("conditions are looked up by type", () => {
  expect(findCondition([other, ready], "Ready")).toBe(ready);
  expect(findCondition(undefined, "Ready")).toBeUndefined();
  expect(hasCondition([ready], "Ready", "True")).toBe(true);
  expect(hasCondition([ready], "Ready", "False")).toBe(false);
  expect(hasCondition([ready], "Other", "True")).toBe(false);
});
