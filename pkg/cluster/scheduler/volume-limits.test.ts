import { describe, expect, test } from "vitest";
import { listerOf } from "../../../test/harness/lister-of.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { CSINode, StorageClass } from "../../api/types/storage-v1.gen.ts";
import { exceedsVolumeLimits, type LimitListers, volumesByDriver } from "./volume-limits.ts";

const DRIVER = "disks.example.com";
const TOO_MANY = "node(s) exceed max volume count";

const claim = (name: string, volumeName?: string): PersistentVolumeClaim => ({
  metadata: { namespace: "default", name },
  spec: { storageClassName: "late", ...(volumeName !== undefined && { volumeName }) },
});
const volume = (name: string, driver: string, volumeHandle = name): PersistentVolume => ({
  metadata: { name },
  spec: { csi: { driver, volumeHandle } },
});
const late: StorageClass = { metadata: { name: "late" }, provisioner: DRIVER };
const csiNode = (name: string, count?: number): CSINode => ({
  metadata: { name },
  spec: { drivers: [{ name: DRIVER, nodeID: name, ...(count !== undefined && { allocatable: { count } }) }] },
});

const listers: LimitListers = {
  claims: listerOf([
    claim("one", "one"),
    claim("two", "two"),
    claim("same", "same"),
    claim("foreign", "foreign"),
    claim("local", "local"),
    claim("new"),
    claim("newer"),
  ]),
  volumes: listerOf([
    volume("one", DRIVER),
    volume("two", DRIVER),
    volume("same", DRIVER, "one"),
    volume("foreign", "other.example.com"),
    { metadata: { name: "local" }, spec: { hostPath: { path: "/" } } },
  ]),
  classes: listerOf([late]),
  csiNodes: listerOf([csiNode("small", 1), csiNode("large", 2), csiNode("none", 0), csiNode("any")]),
};

const pod = (...claims: readonly string[]): Pod => ({
  metadata: { namespace: "default", name: claims.join("-") },
  spec: {
    containers: [],
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  },
});

describe("a pod", () => {
  test.each<[string, readonly string[], readonly (readonly string[])[], string, boolean]>([
    ["that has room goes there", ["one"], [], "small", true],
    ["that wants one too many does not", ["one", "two"], [], "small", false],
    ["whose volume would be one too many does not", ["two"], [["one"]], "small", false],
    ["that shares the volume of another does", ["one"], [["one"]], "small", true],
    ["that has it by another claim does", ["same"], [["one"]], "small", true],
    ["that has room beside others does", ["two"], [["one"]], "large", true],
    ["whose volume is yet to be made counts it", ["new"], [["one"]], "small", false],
    ["beside one whose volume is yet to be made counts that", ["newer"], [["one"], ["new"]], "large", false],
    ["beside one that has finished with its own has room", ["newer"], [["new"]], "large", true],
    ["of another driver goes there", ["foreign"], [["one"]], "small", true],
    ["of no driver goes there", ["local"], [["one"]], "small", true],
    ["without volumes goes there", [], [["one", "two"]], "small", true],
    ["with nothing new goes there, though there are too many", ["one"], [["one"], ["two"]], "small", true],
    ["goes where there is no limit", ["two"], [["one"]], "any", true],
    ["goes where nothing is said", ["two"], [["one"]], "unknown", true],
    ["goes nowhere where none can be", ["one"], [], "none", false],
  ])("%s", (...[, claims, others, node, fits]) => {
    const there = others.map((names) => pod(...names));
    const found = exceedsVolumeLimits(volumesByDriver(pod(...claims), listers), node, there, listers);
    expect(found).toBe(fits ? undefined : TOO_MANY);
  });

  test("whose claim is not there has no volume", () => {
    expect(volumesByDriver(pod("missing"), listers)).toEqual(new Map());
  });
});
