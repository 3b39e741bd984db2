import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaimSpec, PersistentVolumeSpec } from "../types/core-v1.gen.ts";
import { canHold, hasAccessModes, mismatch, modeOf } from "./fit.ts";

const volume = (spec: PersistentVolumeSpec = {}, deletionTimestamp?: string) => ({
  metadata: { name: "v", ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
  spec: { capacity: { storage: "1G" }, accessModes: ["ReadWriteOnce"], ...spec },
});
const claim = (spec: PersistentVolumeClaimSpec = {}) => ({
  metadata: { namespace: "team", name: "c" },
  spec: { resources: { requests: { storage: "1G" } }, accessModes: ["ReadWriteOnce"], ...spec },
});

// upstream: pkg/controller/volume/persistentvolume/index_test.go#TestVolumeModeCheck, TestFilteringVolumeModes
describe("the mode of use", () => {
  test.each([
    ["Block", "Filesystem", false],
    ["Filesystem", "Block", false],
    ["Block", "Block", true],
    ["Filesystem", "Filesystem", true],
    ["Filesystem", undefined, true],
    [undefined, "Filesystem", true],
    [undefined, undefined, true],
    [undefined, "Block", false],
    ["Block", undefined, false],
  ])("%s of a claim, and %s of a volume: %s", (wanted, offered, fits) => {
    const wish = claim(wanted === undefined ? {} : { volumeMode: wanted });
    const found = volume(offered === undefined ? {} : { volumeMode: offered });
    expect(modeOf(wish) === modeOf(found)).toBe(fits);
    expect(canHold(found, wish)).toBe(fits);
    expect(mismatch(found, wish)).toBe(fits ? undefined : "incompatible volumeMode");
  });
});

// upstream: index_test.go#TestCheckAccessModes
describe("access modes", () => {
  test.each([
    [["ReadWriteMany"], true],
    [["ReadWriteMany", "ReadWriteOnce"], true],
    [["ReadOnlyMany"], false],
    [["ReadWriteMany", "ReadOnlyMany"], false],
  ])("%j are offered with two others: %s", (accessModes, expected) => {
    const offered = volume({ accessModes: ["ReadWriteOnce", "ReadWriteMany"] });
    expect(hasAccessModes(offered, claim({ accessModes }))).toBe(expected);
    expect(mismatch(offered, claim({ accessModes }))).toBe(expected ? undefined : "incompatible accessMode");
  });
});

// upstream: index_test.go#TestStorageObjectInUseProtectionFiltering
test("a volume that is being deleted holds nothing any more", () => {
  const going = volume({}, "2026-01-01T00:00:00Z");
  expect([canHold(volume(), claim()), canHold(going, claim())]).toEqual([true, false]);
  expect([mismatch(volume(), claim()), mismatch(going, claim())]).toEqual([
    undefined,
    'the volume is marked for deletion "v"',
  ]);
});

test("less than a byte is not too little where a claim names its volume", () => {
  const wish = claim({ resources: { requests: { storage: "1000000000500m" } } });
  expect(mismatch(volume({ capacity: { storage: "1000000001" } }), wish)).toBeUndefined();
  expect(mismatch(volume({ capacity: { storage: "1000000000100m" } }), wish)).toBeUndefined();
  expect(canHold(volume({ capacity: { storage: "1000000000100m" } }), wish)).toBe(false);
  expect(mismatch(volume({ capacity: { storage: "1000000000" } }), wish)).toBe("requested PV is too small");
});
