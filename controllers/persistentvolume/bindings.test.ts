import { describe, expect, test } from "vitest";
import { boundStatus } from "./bindings.ts";
import { claimOf, volumeOf } from "./sketches.test-data.ts";

// upstream: pkg/controller/volume/persistentvolume/pv_controller.go#updateClaimStatus
describe("the status of a claim with a volume", () => {
  const volume = volumeOf("v 10Gi Bound for=c:uid-c attributes=gold");
  const modes = ["ReadWriteOnce", "ReadOnlyMany"];

  test("is left alone where it says so", () => {
    const claim = claimOf("c 1Gi Bound vol=v");
    expect(boundStatus(claim, volume)).toBe(claim.status);
  });

  test("follows the volume's access modes, and nothing else of it, once it is bound", () => {
    const claim = claimOf("c 1Gi Bound vol=v has=1Gi hasAttributes=silver");
    const status = { ...claim.status, accessModes: ["ReadWriteOnce"] };
    expect(boundStatus({ ...claim, status }, volume)).toEqual({ ...status, accessModes: modes });
  });

  test.each([
    ["Pending", "gold"],
    ["Lost", "silver"],
  ])("has the volume's attributes where it was %s: %s", (phase, currentVolumeAttributesClassName) => {
    const claim = claimOf(`c 1Gi ${phase} vol=v hasAttributes=silver`);
    expect(boundStatus(claim, volume)).toEqual({
      phase: "Bound",
      accessModes: modes,
      capacity: { storage: "10Gi" },
      currentVolumeAttributesClassName,
    });
  });

  test.each([
    ["is written as it was where it is the same in other words", "has=10240Mi", "", "10240Mi"],
    ["is what a volume that grows had before", "has=10Gi", "was=3072Mi", "3Gi"],
    ["is the volume's where what it had before cannot be read", "", "was=lots", "10Gi"],
  ])("has a capacity that %s", (_, has, was, expected) => {
    const claim = claimOf(`c 1Gi Pending ${has}`.trim());
    expect(boundStatus(claim, volumeOf(`v 10Gi Bound ${was}`.trim())).capacity).toEqual({
      storage: expected,
    });
  });

  test("cannot be made from a volume without a capacity", () => {
    const { spec: { capacity: _, ...spec } = {}, ...rest } = volume;
    expect(() => boundStatus(claimOf("c 1Gi Pending"), { ...rest, spec })).toThrow(
      'PersistentVolume "v" is without a storage capacity',
    );
  });
});
