import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../test/harness/cpu-time.ts";
import { type Conflict, messageOfConflict } from "./conflict.ts";
import { type VolumeUse, VolumeUses } from "./volume-uses.ts";

type Use = readonly [pod: string, volume: string, label: string, policy: string];

const useOf = ([, id, label, policy]: Use): VolumeUse => ({
  volume: { id, driver: "driver" },
  label,
  policy,
});

const POD1: Use = ["ns1/pod1-mountOption", "vol1", "system_u:system_r:label1", "MountOption"];
const EXISTING: readonly Use[] = [
  POD1,
  ["ns2/pod2-recursive", "vol2", "", "Recursive"],
  ["ns3/pod3-1", "vol3", "", "Recursive"],
  ["ns3/pod3-2", "vol3", "", "Recursive"],
  ["ns4/pod4-1", "vol4", "system_u:system_r:label4", "MountOption"],
  ["ns4/pod4-2", "vol4", "system_u:system_r:label4", "MountOption"],
  ["ns5/pod5", "vol5", "::label5", "MountOption"],
  ["ns6/pod6", "vol6", ":system_r:label6", "MountOption"],
  ["ns7/pod7", "vol7", "::label7:c0,c1", "MountOption"],
  ["ns8/pod8", "vol8", "", "MountOption"],
];

function usesOf(existing: readonly Use[]): VolumeUses {
  const uses = new VolumeUses();
  for (const use of existing) expect([...uses.set(use[0], [useOf(use)])]).toEqual([]);
  return uses;
}

const lineOf = ({ property, pod, value, otherPod, otherValue }: Conflict): string =>
  `${property}: ${pod} ${value || "-"}, ${otherPod} ${otherValue || "-"}`;
const linesOf = (conflicts: Iterable<Conflict>): readonly string[] => [...conflicts].map(lineOf).toSorted();

// upstream: pkg/controller/volume/selinuxwarning/cache/volumecache_test.go#TestVolumeCache_AddVolumeGetConflicts
describe("a pod", () => {
  test.each<[string, Use, readonly string[], (readonly Use[])?]>([
    ["is alone with its volume", ["t/p", "new", "u:r:t", "MountOption"], [], []],
    ["of a volume that is new", ["t/p", "new", "u:r:t", "MountOption"], []],
    ["with the same label", ["t/p", "vol1", "system_u:system_r:label1", "MountOption"], []],
    [
      "with another label",
      ["t/p", "vol1", "system_u:system_r:new", "MountOption"],
      [
        "SELinuxLabel: ns1/pod1-mountOption system_u:system_r:label1, t/p system_u:system_r:new",
        "SELinuxLabel: t/p system_u:system_r:new, ns1/pod1-mountOption system_u:system_r:label1",
      ],
    ],
    [
      "with another policy",
      ["t/p", "vol1", "", "Recursive"],
      [
        "SELinuxChangePolicy: ns1/pod1-mountOption MountOption, t/p Recursive",
        "SELinuxChangePolicy: t/p Recursive, ns1/pod1-mountOption MountOption",
      ],
    ],
    ["that is alone and changes", ["ns2/pod2-recursive", "vol2", "u:r:new", "MountOption"], []],
    [
      "that changes beside another",
      ["ns3/pod3-1", "vol3", "u:r:new", "MountOption"],
      [
        "SELinuxChangePolicy: ns3/pod3-1 MountOption, ns3/pod3-2 Recursive",
        "SELinuxChangePolicy: ns3/pod3-2 Recursive, ns3/pod3-1 MountOption",
      ],
    ],
    ["that says more", ["t/p", "vol5", "system_u:system_r:label5", "MountOption"], []],
    [
      "that says little, and something else",
      ["t/p", "vol5", "::label6", "MountOption"],
      ["SELinuxLabel: ns5/pod5 ::label5, t/p ::label6", "SELinuxLabel: t/p ::label6, ns5/pod5 ::label5"],
    ],
    ["that says another half", ["t/p", "vol6", "system_u::label6", "MountOption"], []],
    [
      "that lacks the level",
      ["t/p", "vol7", "system_u:system_r:label7", "MountOption"],
      [
        "SELinuxLabel: ns7/pod7 ::label7:c0,c1, t/p system_u:system_r:label7",
        "SELinuxLabel: t/p system_u:system_r:label7, ns7/pod7 ::label7:c0,c1",
      ],
    ],
    ["beside one that says nothing", ["t/p", "vol8", "system_u:system_r:label8", "MountOption"], []],
    [
      "with a level beside one that says nothing",
      ["t/p", "vol8", "system_u:system_r:label8:c0,c1", "MountOption"],
      [
        "SELinuxLabel: ns8/pod8 -, t/p system_u:system_r:label8:c0,c1",
        "SELinuxLabel: t/p system_u:system_r:label8:c0,c1, ns8/pod8 -",
      ],
    ],
  ])("%s", (_, use, expected, existing = EXISTING) => {
    const uses = usesOf(existing);
    expect(linesOf(uses.set(use[0], [useOf(use)]))).toEqual(expected);
    expect(linesOf(uses.conflicts())).toEqual(expected);
    expect([...uses.set(use[0], [useOf(use)])]).toEqual([]);
    expect(linesOf(uses.conflicts())).toEqual(expected);
  });
});

// upstream: pkg/controller/volume/selinuxwarning/cache/volumecache_test.go#TestVolumeCache_DeleteAll
test("nothing is left of pods that are gone", () => {
  const uses = new VolumeUses();
  const pods = ["ns1", "ns2", "ns3", "ns4"].flatMap((namespace) =>
    [1, 2, 3, 4].map((each) => `${namespace}/pod${each}`),
  );
  const volumes = [1, 2, 3, 4].map((each) => useOf(["", `vol${each}`, "label1", "MountOption"]));
  for (const pod of pods) expect([...uses.set(pod, volumes)]).toEqual([]);
  expect(uses.size).toBe(4);
  for (const pod of pods) uses.delete(pod);
  expect([uses.size, [...uses.conflicts()]]).toEqual([0, []]);
});

const on = (volume: string, label: string): VolumeUse => useOf(["", volume, label, "MountOption"]);

// upstream: pkg/controller/volume/selinuxwarning/cache/volumecache_test.go#TestVolumeCache_MultiVolumeConflicts
test("each volume has its own conflicts", () => {
  const uses = new VolumeUses();
  uses.set("ns/a", [on("vol1", ":::a"), on("vol2", ":::a")]);
  expect(linesOf(uses.set("ns/b", [on("vol1", ":::b")]))).toHaveLength(2);
  expect(linesOf(uses.set("ns/c", [on("vol2", ":::c")]))).toHaveLength(2);
  expect(linesOf(uses.conflicts())).toEqual([
    "SELinuxLabel: ns/a :::a, ns/b :::b",
    "SELinuxLabel: ns/a :::a, ns/c :::c",
    "SELinuxLabel: ns/b :::b, ns/a :::a",
    "SELinuxLabel: ns/c :::c, ns/a :::a",
  ]);
});

// upstream: pkg/controller/volume/selinuxwarning/cache/volumecache_test.go#TestVolumeCache_DeletePodConflicts
describe("conflicts", () => {
  const pods: Readonly<Record<string, readonly VolumeUse[]>> = {
    "ns/a": [on("vol1", ":::a"), on("vol2", ":::a")],
    "ns/b": [on("vol1", ":::b"), on("vol2", ":::b")],
    "ns/c": [on("vol1", ":::b")],
    "ns/d": [on("vol3", ":::d")],
    "ns/e": [on("vol3", ":::e")],
  };
  test.each([
    ["end with one of two pods", ["ns/d", "ns/e"], ["ns/d"], 0],
    ["stay when others go", ["ns/b", "ns/c", "ns/d", "ns/e"], ["ns/b"], 2],
    ["of others that are left stay", ["ns/a", "ns/b", "ns/c"], ["ns/b"], 2],
    ["of all volumes of a pod end with it", ["ns/a", "ns/b"], ["ns/a"], 0],
    ["of other volumes stay", ["ns/a", "ns/b", "ns/d", "ns/e"], ["ns/a"], 2],
    ["are not touched by a pod that went before", ["ns/d", "ns/e"], ["ns/a", "ns/a"], 2],
  ])("%s", (_, existing, gone, left) => {
    const uses = new VolumeUses();
    for (const pod of existing) uses.set(pod, pods[pod] ?? []);
    for (const pod of gone) uses.delete(pod);
    expect(linesOf(uses.conflicts())).toHaveLength(left);
  });

  test("end when a pod uses another volume under its name", () => {
    const uses = new VolumeUses();
    uses.set("ns/d", [on("vol3", ":::d")]);
    uses.set("ns/e", [on("vol3", ":::e")]);
    expect([...uses.set("ns/e", [on("vol4", ":::e")])]).toEqual([]);
    expect([linesOf(uses.conflicts()), uses.size]).toEqual([[], 2]);
  });
});

// upstream: pkg/controller/volume/selinuxwarning/cache/volumecache_test.go#TestVolumeCache_GetPodsForCSIDriver
test("pods of a driver are to be looked at anew, and those of others not", () => {
  const uses = new VolumeUses();
  const of = (driver: string | undefined, id: string): VolumeUse => ({
    volume: { id, driver },
    label: "",
    policy: "Recursive",
  });
  uses.set("ns/a", [of("one", "vol1"), of("one", "vol2")]);
  uses.set("ns/b", [of("one", "vol1"), of("two", "vol3")]);
  uses.set("ns/c", [of("two", "vol3"), of(undefined, "vol4")]);
  expect(uses.forgetDriver("three")).toEqual([]);
  expect(uses.forgetDriver("one")).toEqual(["ns/a", "ns/b"]);
  expect(uses.size).toBe(2);
  expect(uses.forgetDriver("one")).toEqual([]);
  expect([...uses.set("ns/a", [on("vol1", ":::a")])]).toEqual([]);
});

test("thousands of pods that use a volume alike, and one that does not, cost little", () => {
  const uses = new VolumeUses();
  const count = 20_000;
  for (let each = 0; each < count; each++) uses.set(`ns/p-${each}`, [on("vol", ":::a")]);
  const ms = cpuTimeMs(() => {
    expect([...uses.conflicts()]).toEqual([]);
    expect([...uses.set("ns/other", [on("vol", ":::b")]).take(500)]).toHaveLength(500);
    expect([...uses.conflicts().take(5_000)]).toHaveLength(5_000);
    uses.delete("ns/other");
  });
  expect(ms).toBeLessThan(50);
});

test.each([
  [
    "in one namespace names the other pod",
    "ns/b",
    'SELinuxLabel ":::a" conflicts with pod b that uses the same volume as this pod with SELinuxLabel ":::b". If both pods land on the same node, only one of them may access the volume.',
  ],
  [
    "between namespaces names nothing",
    "other/b",
    'SELinuxLabel":::a" conflicts with another pod that uses the same volume as this pod with a different SELinuxLabel. If both pods land on the same node, only one of them may access the volume.',
  ],
])("what is told of a conflict %s", (_, otherPod, expected) => {
  const conflict = {
    property: "SELinuxLabel",
    pod: "ns/a",
    value: ":::a",
    otherPod,
    otherValue: ":::b",
  } as const;
  expect(messageOfConflict(conflict)).toBe(expected);
});
