import { describe, expect, test } from "vitest";
import { deletionFinalizers, withMigrationOfClaim, withMigrationOfVolume } from "./migration.ts";
import { claimOf, volumeOf } from "./sketches.test-data.ts";

// upstream: pkg/controller/volume/persistentvolume/pv_controller_test.go#TestAnnealMigrationAnnotations
describe("the driver of a plugin", () => {
  const gce = "kubernetes.io/gce-pd";
  const driver = "pd.csi.storage.gke.io";
  const rbd = "kubernetes.io/rbd";
  test.each([
    [`asks=${gce}`, `asks=${gce} to=${driver}`],
    [`asksBeta=${gce}`, `asksBeta=${gce} to=${driver}`],
    [`asks=${gce} to=old`, `asks=${gce} to=${driver}`],
    [`asks=${rbd}`, `asks=${rbd}`],
    [`asks=${rbd} to=rbd.csi.ceph.com`, `asks=${rbd}`],
    [`asksBeta=${rbd} to=rbd.csi.ceph.com`, `asksBeta=${rbd}`],
    ["asks=plugin", "asks=plugin"],
    ["", ""],
    ["to=somebody", "to=somebody"],
  ])("is said of a claim with %j: %j", (before, after) => {
    expect(withMigrationOfClaim(claimOf(`c 1Gi Pending ${before}`))).toEqual(
      claimOf(`c 1Gi Pending ${after}`),
    );
  });

  test.each([
    [`by=${gce}`, `by=${gce} to=${driver}`],
    [`by=${rbd}`, `by=${rbd}`],
    [`by=${rbd} to=rbd.csi.ceph.com`, `by=${rbd}`],
    ["by=plugin", "by=plugin"],
    ["", ""],
    ["to=somebody", "to=somebody"],
  ])("is said of a volume with %j: %j", (before, after) => {
    expect(withMigrationOfVolume(volumeOf(`v 1Gi Available ${before}`))).toEqual(
      volumeOf(`v 1Gi Available ${after}`),
    );
  });

  test("is not written where it is right", () => {
    const claim = claimOf(`c 1Gi Pending asks=${gce} to=${driver}`);
    const volume = volumeOf(`v 1Gi Bound by=${gce} to=${driver} held=kubernetes.io/pv-protection`);
    expect([withMigrationOfClaim(claim), withMigrationOfVolume(volume)]).toEqual([claim, volume]);
    expect(withMigrationOfClaim(claim)).toBe(claim);
    expect(withMigrationOfVolume(volume)).toBe(volume);
  });
});

// upstream: pv_controller_test.go#TestModifyDeletionFinalizers, TestControllerSync 5-9
describe("what a volume is held by until it is deleted", () => {
  const external = "external-provisioner.volume.kubernetes.io/finalizer";
  const ours = "kubernetes.io/pv-controller";
  const other = "test.volume.kubernetes.io/finalizer";
  const mock = "by=kubernetes.io/mock";
  test.each([
    ["13-1", `csi=rbd.csi.ceph.com by=rbd.csi.ceph.com policy=Delete held=${external}`, [external]],
    ["13-2", "csi=rbd.csi.ceph.com by=rbd.csi.ceph.com policy=Delete", []],
    ["13-3", `${mock} policy=Delete held=${other}`, [other, ours]],
    ["13-4", `${mock} policy=Delete`, [ours]],
    ["13-5, 13-8, 5-9", `${mock} policy=Delete held=${external}`, [ours]],
    ["13-6, 13-9", `${mock} policy=Delete held=${external},${other}`, [other, ours]],
    [
      "13-7",
      `by=kubernetes.io/gce-pd to=pd.csi.storage.gke.io policy=Delete held=${external},${ours}`,
      [external],
    ],
    ["13-10", `policy=Delete held=${external}`, [external]],
    ["13-11, 13-15", "policy=Delete", []],
    ["13-12", `${mock} policy=Retain`, []],
    ["13-13", `${mock} policy=Recycle`, []],
    ["13-14", `${mock} policy=Retain held=${ours}`, []],
    ["being deleted", `${mock} policy=Delete going held=${other}`, [other]],
    ["again", `${mock} policy=Delete held=${ours},${other}`, [ours, other]],
  ])("upstream's case %s, %s: %j", (_, sketch, expected) => {
    const volume = volumeOf(`v 1Gi Bound ${sketch}`);
    expect(deletionFinalizers(volume)).toEqual(expected);
    expect(withMigrationOfVolume(volume).metadata.finalizers ?? []).toEqual(expected);
  });
});
