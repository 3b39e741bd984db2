import { beforeEach, describe, expect, test } from "vitest";
import { AttachedWorld } from "./attached-world.ts";
import { volumeKey } from "./volume-key.ts";
import type { VolumeSpec } from "./volume-spec.ts";

const spec: VolumeSpec = {
  name: "pv",
  uniqueName: "v",
  plugin: "plugin",
  isExclusive: true,
  isMigrated: false,
};
const place = (node: string, volume = "v") => ({ node, volume });
const key = (node: string, volume = "v"): string => volumeKey(place(node, volume));

let world: AttachedWorld;
beforeEach(() => {
  world = new AttachedWorld();
});

function mark(node: string, isConfirmed: boolean, volume = "v"): void {
  world.mark(place(node, volume), { spec, isConfirmed, objectName: `${volume} on ${node}` });
}
/** "node/volume", with a question mark where that is not certain. */
const all = (): readonly string[] =>
  [...world.all()].map(({ node, volume, isConfirmed }) => `${key(node, volume)}${isConfirmed ? "" : "?"}`);
const elsewhere = (node: string): readonly string[] => world.elsewhere(place(node)).map((each) => each.node);

// upstream: pkg/controller/volume/attachdetach/cache/actual_state_of_world_test.go#Test_AddVolumeNode…, Test_MarkVolumeAs…
describe("a volume on a node", () => {
  test.each([true, false])("is known, be it certain or not: %s", (isConfirmed) => {
    expect(world.get(key("n"))).toBeUndefined();
    mark("n", isConfirmed);
    expect(world.get(key("n"))).toEqual({
      node: "n",
      volume: "v",
      spec,
      isConfirmed,
      objectName: "v on n",
      detachSinceMs: undefined,
    });
    expect(all()).toHaveLength(1);
  });

  test.each([
    [true, false],
    [false, true],
    [true, true],
  ])("is what was said last: %s, then %s", (first, second) => {
    mark("n", first);
    mark("n", second);
    expect(world.get(key("n"))?.isConfirmed).toBe(second);
    expect(all()).toHaveLength(1);
  });

  test("keeps its spec and since when it is to go, whatever else is said of it", () => {
    mark("n", true);
    world.setDetachSince(key("n"), 5);
    world.mark(place("n"), { spec: undefined, isConfirmed: false, objectName: undefined });
    expect(world.get(key("n"))).toMatchObject({ spec, isConfirmed: false, detachSinceMs: 5 });
    world.setDetachSince(key("n"), undefined);
    expect(world.get(key("n"))?.detachSinceMs).toBeUndefined();
  });

  test("gets the spec that was not known, and no other", () => {
    world.mark(place("n"), { spec: undefined, isConfirmed: true, objectName: undefined });
    world.learn(key("n"), spec);
    world.learn(key("n"), { ...spec, name: "other" });
    expect(world.get(key("n"))?.spec?.name).toBe("pv");
  });
});

// upstream: …#Test_DeleteVolumeNode…, Test_VolumeNodeExists…
describe("what is detached", () => {
  test("is not known any more, and the rest is", () => {
    mark("n", true);
    mark("m", true);
    world.forget(key("n"));
    expect(all()).toEqual(["m/v"]);
    expect([world.hasAnyOn("n"), world.hasAnyOn("m")]).toEqual([false, true]);
    expect([world.keyOfObject("v on n"), world.keyOfObject("v on m")]).toEqual([undefined, "m/v"]);
  });

  test("need not have been known", () => {
    world.forget(key("n"));
    world.setDetachSince(key("n"), 5);
    world.learn(key("n"), spec);
    expect(all()).toEqual([]);
  });
});

// upstream: …#Test_GetAttachedVolumes…, Test_GetAttachedVolumesForNode…, Test_GetNodesForAttachedVolume…
describe("volumes are found", () => {
  beforeEach(() => {
    mark("n", true);
    mark("m", false);
    mark("m", true, "w");
  });

  test("all of them, and those of a node", () => {
    expect(all()).toEqual(["n/v", "m/v?", "m/w"]);
    expect([...world.onNode("m")]).toEqual(["m/v", "m/w"]);
    expect([...world.onNode("o")]).toEqual([]);
    expect([...world.keys()]).toEqual(["n/v", "m/v", "m/w"]);
  });

  test("where else they are, or may be", () => {
    expect(elsewhere("n")).toEqual(["m"]);
    expect(elsewhere("m")).toEqual(["n"]);
    expect(elsewhere("o")).toEqual(["n", "m"]);
    expect(world.elsewhere(place("n", "w")).map(({ node }) => node)).toEqual(["m"]);
  });
});
