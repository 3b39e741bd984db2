import { describe, expect, test } from "vitest";
import { loadAt, parseLoad, saidSinceMs } from "./load.ts";

describe("a load", () => {
  test.each([
    ["250m", { from: 0.25, to: 0.25, overMs: 0 }],
    ["64Mi", { from: 2 ** 26, to: 2 ** 26, overMs: 0 }],
    ["100m..2/5m", { from: 0.1, to: 2, overMs: 300_000 }],
    ["1.5..0.5/30s", { from: 1.5, to: 0.5, overMs: 30_000 }],
    ["1..2", undefined],
    ["1../5m", undefined],
    ["1..2/soon", undefined],
    ["much", undefined],
    [undefined, undefined],
  ])("%j is read as %j", (text, expected) => {
    expect(parseLoad(text)).toEqual(expected);
  });

  test.each([
    [-1_000, 1],
    [0, 1],
    [5_000, 2],
    [10_000, 3],
    [99_000, 3],
  ])("that grows is after %d ms at %d", (passed, expected) => {
    expect(loadAt({ from: 1, to: 3, overMs: 10_000 }, 50_000, 50_000 + passed)).toBe(expected);
  });

  test("is there since its annotation was written, or else since its object is", () => {
    const creationTimestamp = "2026-11-19T08:00:00Z";
    const written = {
      time: "2026-11-19T08:05:00Z",
      fieldsV1: { "f:metadata": { "f:annotations": { "f:kcm.dev/cpu": {} } } },
    };
    expect(saidSinceMs({ metadata: { creationTimestamp } }, "kcm.dev/cpu")).toBe(
      Date.parse(creationTimestamp),
    );
    const object = { metadata: { creationTimestamp, managedFields: [written] } };
    expect(saidSinceMs(object, "kcm.dev/cpu")).toBe(Date.parse(written.time));
    expect(saidSinceMs(object, "kcm.dev/memory")).toBe(Date.parse(creationTimestamp));
  });
});
