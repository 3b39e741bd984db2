import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeSpec } from "../../api/types/core-v1.gen.ts";
import { findVolume } from "./find-volume.ts";

const volume = (name: string, storage: string, spec: PersistentVolumeSpec = {}): PersistentVolume => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage }, storageClassName: "late", ...spec },
  status: { phase: "Available" },
});
const claim = {
  metadata: { namespace: "default", name: "data" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "late",
    resources: { requests: { storage: "2Gi" } },
  },
};
const node = { metadata: { name: "node" } };
const two = ["ReadWriteOnce", "ReadOnlyMany"];

test.each([
  ["the smallest", [volume("a", "5Gi"), volume("b", "3Gi"), volume("c", "1Gi")], "b"],
  [
    "one of no more access modes than it wants",
    [volume("a", "2Gi", { accessModes: two }), volume("b", "5Gi")],
    "b",
  ],
  [
    "the one that is kept for it",
    [volume("a", "2Gi"), volume("b", "5Gi", { claimRef: claim.metadata })],
    "b",
  ],
  ["none of another class", [volume("a", "2Gi", { storageClassName: "" })], undefined],
])("a claim gets %s", (_, volumes, expected) => {
  expect(findVolume({ claim, node }, volumes)?.metadata.name).toBe(expected);
});

test("a volume that is spoken for is passed over", () => {
  const volumes = [volume("a", "2Gi"), volume("b", "3Gi")];
  expect(findVolume({ claim, node, excluded: new Set(["a"]) }, volumes)?.metadata.name).toBe("b");
});
