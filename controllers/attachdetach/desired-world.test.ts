import { beforeEach, describe, expect, test } from "vitest";
import { DesiredWorld } from "./desired-world.ts";
import { volumeKey } from "./volume-key.ts";
import type { VolumeSpec } from "./volume-spec.ts";

const spec = (volume: string): VolumeSpec => ({
  name: volume,
  uniqueName: volume,
  plugin: "plugin",
  isExclusive: false,
  isMigrated: false,
});
const key = (node: string, volume: string): string => volumeKey({ node, volume });

let world: DesiredWorld;
beforeEach(() => {
  world = new DesiredWorld();
});

const want = (pod: string, node: string, volume: string): boolean | undefined =>
  world.want({ pod: { uid: `uid of ${pod}`, key: pod }, node, spec: spec(volume) });
const leave = (pod: string): readonly string[] => world.leave(`uid of ${pod}`);
/** "node/volume: pods", of all that is wanted. */
const all = (): readonly string[] =>
  [...world.all()].map(({ node, volume, pods }) => `${key(node, volume)}: ${[...pods.values()].join(" ")}`);

// upstream: pkg/controller/volume/attachdetach/cache/desired_state_of_world_test.go#Test_AddNode…, Test_NodeExists…,
// Test_DeleteNode…
describe("a node", () => {
  test("is managed once it has been said to be, and not before", () => {
    expect(world.isManaged("n")).toBe(false);
    expect(world.manage("n")).toBe(true);
    expect(world.manage("n")).toBe(false);
    expect(world.isManaged("n")).toBe(true);
    expect(all()).toEqual([]);
  });

  test("is no more when it is gone, be it that it never was", () => {
    world.manage("n");
    expect(world.release("n")).toBe(true);
    expect(world.isManaged("n")).toBe(false);
    expect(world.release("n")).toBe(false);
  });

  test("is, while pods there need volumes", () => {
    world.manage("n");
    want("p", "n", "v");
    expect(world.release("n")).toBe(false);
    expect(world.isManaged("n")).toBe(true);
    leave("p");
    expect(world.release("n")).toBe(true);
  });
});

// upstream: …#Test_AddPod…, Test_DeletePod…, Test_VolumeExists…, Test_GetVolumesToAttach…
describe("a volume", () => {
  test("is not wanted for a node that is not managed", () => {
    expect(want("p", "n", "v")).toBeUndefined();
    expect(all()).toEqual([]);
    expect(leave("p")).toEqual([]);
  });

  test("is wanted from the first pod to the last", () => {
    world.manage("n");
    expect(want("p", "n", "v")).toBe(true);
    expect(want("p", "n", "v")).toBe(false);
    expect(want("q", "n", "v")).toBe(false);
    expect(all()).toEqual(["n/v: p q"]);
    expect(leave("p")).toEqual([]);
    expect(all()).toEqual(["n/v: q"]);
    expect(leave("p")).toEqual([]);
    expect(leave("q")).toEqual(["n/v"]);
    expect(world.get(key("n", "v"))).toBeUndefined();
  });

  test("is wanted for each node by itself", () => {
    for (const node of ["n", "m"]) world.manage(node);
    want("p", "n", "v");
    want("q", "m", "v");
    want("q", "m", "w");
    expect(all()).toEqual(["n/v: p", "m/v: q", "m/w: q"]);
    expect(world.get(key("n", "w"))).toBeUndefined();
    expect(leave("q")).toEqual(["m/v", "m/w"]);
    expect(all()).toEqual(["n/v: p"]);
  });

  test("is wanted as it was found first", () => {
    world.manage("n");
    want("p", "n", "v");
    world.want({ pod: { uid: "other", key: "other" }, node: "n", spec: { ...spec("v"), isExclusive: true } });
    expect(world.get(key("n", "v"))?.spec.isExclusive).toBe(false);
  });

  test("that is not attached any more is left alone, and the others of the pod are not", () => {
    world.manage("n");
    want("p", "n", "v");
    want("p", "n", "w");
    expect(world.leaveOne("uid of p", { node: "n", volume: "v" })).toBe(true);
    expect(world.leaveOne("uid of p", { node: "n", volume: "v" })).toBe(false);
    expect(all()).toEqual(["n/w: p"]);
  });

  test("is one of which users are told once, until nobody wants it any more", () => {
    world.manage("n");
    world.tellConflict(key("n", "v"));
    want("p", "n", "v");
    expect(world.get(key("n", "v"))?.isConflictTold).toBe(false);
    world.tellConflict(key("n", "v"));
    want("q", "n", "v");
    expect(world.get(key("n", "v"))?.isConflictTold).toBe(true);
    for (const pod of ["p", "q"]) leave(pod);
    want("p", "n", "v");
    expect(world.get(key("n", "v"))?.isConflictTold).toBe(false);
  });
});

// upstream: …#Test_GetPodsOnNodes
test("pods that need a volume are known by their nodes", () => {
  for (const node of ["n", "m", "o"]) world.manage(node);
  want("p", "n", "v");
  want("q", "m", "v");
  want("r", "o", "w");
  expect(world.podsOn(["n", "m", "o", "unknown"], "v")).toEqual(["p", "q"]);
  expect(world.podsOn(["m"], "w")).toEqual([]);
});
