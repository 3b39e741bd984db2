import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Stored } from "../../pkg/api/object.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from "../../pkg/api/types/core-v1.gen.ts";
import { canHold } from "../../pkg/api/volumes/fit.ts";
import { stored } from "../../test/harness/stored.ts";
import { FreeVolumes } from "./free-volumes.ts";
import { WaitingClaims } from "./waiting-claims.ts";

const [RWO, ROX, RWX] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] as const;

function volume(
  name: string,
  storage: string,
  spec: PersistentVolumeSpec = {},
  { phase = "Available", labels = {} } = {},
): Stored<PersistentVolume> {
  return stored<PersistentVolume>({
    metadata: { name, labels },
    spec: { capacity: { storage }, accessModes: [RWO, ROX], ...spec },
    status: { phase },
  });
}

function claim(
  storage: string,
  spec: PersistentVolumeClaimSpec = {},
  name = "claim",
): Stored<PersistentVolumeClaim> {
  return stored<PersistentVolumeClaim>({
    metadata: { name, namespace: "team" },
    spec: { resources: { requests: { storage } }, accessModes: [RWO], ...spec },
  });
}

// upstream: pkg/controller/volume/persistentvolume/index_test.go#createTestVolumes
const bound = { claimRef: { namespace: "team", name: "other" } };
const labels = { "should-exist": "true" };
const VOLUMES = [
  volume("gce-pd-10", "10G"),
  volume("gce-pd-20", "20G", bound),
  volume("nfs-5", "5G", { accessModes: [RWO, ROX, RWX] }),
  volume("gce-pd-1", "1G", bound),
  volume("nfs-10", "10G", { accessModes: [RWO, ROX, RWX] }),
  volume("gce-pd-5", "5G"),
  volume("nfs-1", "1G", { accessModes: [RWO, ROX, RWX], ...bound }),
  volume("gce-pd-2", "20000G", { accessModes: [RWO] }, { labels }),
  volume("gce-pd-silver1", "10000G", { accessModes: [RWO], storageClassName: "silver" }, { labels }),
  volume("gce-pd-silver2", "100G", { accessModes: [RWO], storageClassName: "silver" }),
  volume("gce-pd-gold", "50G", { accessModes: [RWO], storageClassName: "gold" }),
  volume("local-pd-very-large", "200E", { accessModes: [RWO, ROX, RWX], storageClassName: "large" }),
  volume("local-pd-extremely-large", "800E", { accessModes: [RWO, ROX, RWX], storageClassName: "large" }),
  volume(
    "gce-pd-vac-silver1",
    "10000G",
    { accessModes: [RWO], volumeAttributesClassName: "silver" },
    { labels },
  ),
  volume("gce-pd-vac-gold", "50G", { accessModes: [RWO], volumeAttributesClassName: "gold" }),
  volume("failed", "1G", {}, { phase: "Failed" }),
  volume("device", "1G", { volumeMode: "Block" }),
];

function shown(volumes: readonly Stored<PersistentVolume>[] = VOLUMES): FreeVolumes {
  const free = new FreeVolumes();
  for (const each of volumes) free.show(each);
  return free;
}

// upstream: index_test.go#TestMatchVolume, TestFindingVolumeWithDifferentAccessModes, TestFilteringVolumeModes
describe("of the volumes that nobody has a claim finds", () => {
  const matchLabels = (key: string) => ({ selector: { matchLabels: { [key]: "true" } } });
  test.each<[string, Stored<PersistentVolumeClaim>, string | undefined]>([
    ["the smallest that is large enough", claim("8G", { accessModes: [RWO, ROX] }), "gce-pd-10"],
    ["one of all its modes", claim("5G", { accessModes: [ROX, RWO, RWX] }), "nfs-5"],
    ["the one with the fewest modes, though it is larger", claim("1G"), "gce-pd-2"],
    ["no bound one", claim("1G", { accessModes: [RWO, ROX] }), "gce-pd-5"],
    ["none where none is large enough", claim("999999G"), undefined],
    ["none of other labels", claim("1G", matchLabels("should-not-exist")), undefined],
    [
      "none that is too small of the labels",
      claim("20000G", { ...matchLabels("should-exist"), accessModes: [RWO, ROX] }),
      undefined,
    ],
    ["one of the labels", claim("20000G", matchLabels("should-exist")), "gce-pd-2"],
    [
      "one without attributes for no attributes",
      claim("8G", { volumeAttributesClassName: "", accessModes: [ROX] }),
      "gce-pd-10",
    ],
    ["one of its attributes", claim("1G", { volumeAttributesClassName: "silver" }), "gce-pd-vac-silver1"],
    ["none of unknown attributes", claim("1G", { volumeAttributesClassName: "x" }), undefined],
    [
      "one of class and labels",
      claim("1G", { storageClassName: "silver", ...matchLabels("should-exist") }),
      "gce-pd-silver1",
    ],
    ["one of its class", claim("1G", { storageClassName: "silver" }), "gce-pd-silver2"],
    ["one beyond 64 bits", claim("1E", { storageClassName: "large" }), "local-pd-very-large"],
    [
      "one of the very size beyond 64 bits",
      claim("800E", { storageClassName: "large" }),
      "local-pd-extremely-large",
    ],
    ["none beyond them all", claim("950E", { storageClassName: "large" }), undefined],
    ["a device for a device", claim("1G", { volumeMode: "Block" }), "device"],
  ])("%s", (_, wish, expected) => {
    expect(shown().find(wish)?.metadata.name).toBe(expected);
  });

  test("none that is reserved, until that is over", () => {
    const free = shown([volume("a", "1G"), volume("b", "2G")]);
    free.reserve("a");
    expect([free.find(claim("1G"))?.metadata.name, free.get("a")]).toEqual(["b", undefined]);
    free.release("a");
    expect([free.find(claim("1G"))?.metadata.name, free.get("a")?.metadata.name]).toEqual(["a", "a"]);
  });

  test("none as it was before it changed, or was gone", () => {
    const free = shown([volume("a", "1G"), volume("b", "2G")]);
    free.show(volume("a", "5G"));
    expect(free.find(claim("1G"))?.metadata.name).toBe("b");
    free.forget("b");
    expect(free.find(claim("1G"))?.spec?.capacity).toEqual({ storage: "5G" });
    free.show(volume("a", "5G", bound));
    expect(free.find(claim("1G"))).toBeUndefined();
  });

  test("what a look at all of them finds, whatever there is", () => {
    const sizes = fc.constantFrom("1", "1Gi", "1500Mi", "2G", "3Gi");
    const modes = fc.subarray([RWO, ROX, RWX], { minLength: 1 });
    const volumes = fc.array(fc.record({ size: sizes, modes, free: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(volumes, sizes, modes, (drafts, size, wanted) => {
        const all = drafts.map((draft, at) =>
          volume(`v${at}`, draft.size, { accessModes: draft.modes, ...(!draft.free && bound) }),
        );
        const wish = claim(size, { accessModes: wanted });
        const found = shown(all).find(wish);
        const fitting = all.filter((each) => each.spec?.claimRef === undefined && canHold(each, wish));
        expect(found === undefined).toBe(fitting.length === 0);
        const count = (each: PersistentVolume | undefined): number => each?.spec?.accessModes?.length ?? 0;
        if (found !== undefined) expect(count(found)).toBe(Math.min(...fitting.map(count)));
      }),
    );
  });
});

describe("a volume that is free is offered", () => {
  const waiting = (...claims: readonly Stored<PersistentVolumeClaim>[]): WaitingClaims => {
    const all = new WaitingClaims();
    for (const each of claims) all.add(each);
    return all;
  };

  test("to the claim that asks for most of what it has", () => {
    const claims = waiting(claim("1G", {}, "small"), claim("3G", {}, "fitting"), claim("9G", {}, "large"));
    expect(claims.offer(volume("v", "5G"))).toBe("team/fitting");
    expect(claims.offer(volume("v", "5G"))).toBe("team/small");
    expect(claims.offer(volume("v", "5G"))).toBeUndefined();
  });

  test.each<[string, PersistentVolumeClaimSpec]>([
    ["class", { storageClassName: "gold" }],
    ["mode of use", { volumeMode: "Block" }],
    ["attributes", { volumeAttributesClassName: "gold" }],
    ["access modes", { accessModes: [RWX] }],
    ["labels", { selector: { matchLabels: labels } }],
  ])("to no claim of other %s", (_, spec) => {
    expect(waiting(claim("1G", spec)).offer(volume("v", "5G"))).toBeUndefined();
  });

  test("to a claim of fewer access modes, and of its labels", () => {
    const wish = claim("1G", { accessModes: [ROX], selector: { matchLabels: labels } });
    expect(waiting(wish).offer(volume("v", "5G", {}, { labels }))).toBe("team/claim");
  });

  test("and what a claim was offered is told once", () => {
    const claims = waiting(claim("1G"));
    claims.offer(volume("v", "5G"));
    expect(claims.takeOffers("team/claim")).toEqual(["v"]);
    expect(claims.takeOffers("team/claim")).toEqual([]);
  });

  test("to no claim that does not wait any more", () => {
    const claims = waiting(claim("1G"));
    claims.remove("team/claim");
    expect(claims.offer(volume("v", "5G"))).toBeUndefined();
  });
});

test("ten thousand claims look at one volume each, whatever else there is", () => {
  const free = new FreeVolumes();
  const COUNT = 10_000;
  let looks = 0;
  for (let each = 0; each < COUNT; each++) {
    const made = volume(`v${each}`, `${1 + (each % 50)}Gi`);
    const metadata = Object.defineProperty({ ...made.metadata }, "labels", {
      get: () => {
        looks++;
        return {};
      },
    });
    free.show({ ...made, metadata });
  }
  for (let each = 0; each < COUNT; each++) {
    const found = free.find(claim(`${1 + (each % 50)}Gi`));
    if (found !== undefined) free.forget(found.metadata.name);
  }
  expect([looks, free.find(claim("1"))]).toEqual([COUNT, undefined]);
});
