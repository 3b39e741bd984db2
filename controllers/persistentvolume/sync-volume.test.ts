import { describe, expect, test } from "vitest";
import { type Given, type Outcome, syncOnce } from "./one-sync.test-data.ts";
import { claimOf, essenceOf, volumeOf } from "./sketches.test-data.ts";

interface Case {
  readonly volumes: readonly string[];
  readonly claims?: readonly string[];
  /** Left out: as before. */
  readonly volumesThen?: readonly string[];
  readonly events?: readonly string[];
  readonly more?: Given;
}

async function check({ volumes, claims = [], volumesThen, events = [], more }: Case): Promise<Outcome> {
  const given = { volumes: volumes.map(volumeOf), claims: claims.map(claimOf), ...more };
  const outcome = await syncOnce("volume", given);
  expect(outcome.volumes.map(essenceOf)).toEqual((volumesThen ?? volumes).map(volumeOf).map(essenceOf));
  if (more?.unseen === undefined)
    expect(outcome.claims.map(essenceOf)).toEqual(claims.map(claimOf).map(essenceOf));
  expect(outcome.events.map((event, at) => event.slice(0, events[at]?.length))).toEqual(events);
  expect(outcome.error).toBeUndefined();
  return outcome;
}

// upstream: pkg/controller/volume/persistentvolume/binder_test.go#TestSync, set 4
describe("a volume", () => {
  test.each<[string, Case]>([
    ["that nobody has is available", { volumes: ["v 10Gi Pending"], volumesThen: ["v 10Gi Available"] }],
    [
      "that is kept for a claim is available",
      { volumes: ["v 10Gi - for=c"], volumesThen: ["v 10Gi Available for=c"] },
    ],
    [
      "of a claim that is gone is released",
      { volumes: ["v 10Gi Bound for=c:uid-c"], volumesThen: ["v 10Gi Released for=c:uid-c"] },
    ],
    [
      "of another claim of the name is released",
      {
        volumes: ["v 10Gi Bound for=c:uid-x"],
        claims: ["c 10Gi Bound vol=v done"],
        volumesThen: ["v 10Gi Released for=c:uid-x"],
      },
    ],
    [
      "that the controller has bound waits for the claim to follow",
      { volumes: ["v 10Gi Bound for=c:uid-c ours"], claims: ["c 10Gi Pending"] },
    ],
    [
      "that a user has bound waits for the claim to follow",
      { volumes: ["v 10Gi Bound for=c:uid-c"], claims: ["c 10Gi Pending"] },
    ],
    [
      "of a claim that has it is bound",
      {
        volumes: ["v 10Gi Available for=c:uid-c"],
        claims: ["c 10Gi Bound vol=v"],
        volumesThen: ["v 10Gi Bound for=c:uid-c"],
      },
    ],
    [
      "that the controller has bound is free again where the claim has another",
      {
        volumes: ["v 10Gi Bound for=c:uid-c ours"],
        claims: ["c 10Gi Bound vol=x"],
        volumesThen: ["v 10Gi Available"],
      },
    ],
    [
      "that a user has bound is kept for the claim's name where the claim has another",
      {
        volumes: ["v 10Gi Bound for=c:uid-c"],
        claims: ["c 10Gi Bound vol=x"],
        volumesThen: ["v 10Gi Available for=c"],
      },
    ],
    [
      "that is to be deleted stays as long as its claim",
      {
        volumes: ["v 10Gi Available for=c:uid-c policy=Delete"],
        claims: ["c 10Gi Bound vol=v"],
        volumesThen: ["v 10Gi Bound for=c:uid-c policy=Delete"],
      },
    ],
    [
      "of a claim that only the cache lacks is bound",
      {
        volumes: ["v 10Gi Available for=c:uid-c policy=Delete"],
        volumesThen: ["v 10Gi Bound for=c:uid-c policy=Delete"],
        more: { unseen: [claimOf("c 10Gi Bound vol=v")] },
      },
    ],
    [
      "of a claim whose forerunner the cache has is bound",
      {
        volumes: ["v 10Gi Available for=c:uid-new policy=Delete"],
        claims: ["c 10Gi Bound vol=v"],
        volumesThen: ["v 10Gi Bound for=c:uid-new policy=Delete"],
        more: { unseen: [claimOf("c 10Gi Bound vol=v uid=uid-new")] },
      },
    ],
    [
      "of another mode than the claim's complains to both",
      {
        volumes: ["v 10Gi Available for=c:uid-c ours"],
        claims: ["c 10Gi Pending mode=Block"],
        events: [
          'Warning VolumeMismatch Cannot bind PersistentVolume to requested PersistentVolumeClaim "c" due to incompatible volumeMode.',
          'Warning VolumeMismatch Cannot bind PersistentVolume "v" to requested PersistentVolumeClaim due to incompatible volumeMode.',
        ],
      },
    ],
    [
      "whose policy nobody knows has failed when it is released",
      {
        volumes: ["v 1Gi Bound for=c:uid-c policy=Unknown"],
        volumesThen: [
          "v 1Gi Failed for=c:uid-c policy=Unknown says=Volume~has~unrecognized~PersistentVolumeReclaimPolicy",
        ],
        events: ["Warning VolumeUnknownReclaimPolicy Volume has unrecognized PersistentVolumeReclaimPolicy"],
      },
    ],
  ])("%s", async (_, each) => {
    await check(each);
  });

  test("that waits for its claim wakes that", async () => {
    const { woken } = await check({ volumes: ["v 1Gi Bound for=c:uid-c"], claims: ["c 1Gi Pending"] });
    expect(woken).toEqual(["claim default/c"]);
  });

  test("that somebody else is writing is left alone, and looked at afterwards", async () => {
    const given = { volumes: [volumeOf("v 1Gi Pending")], held: "v" };
    const { requests, woken } = await syncOnce("volume", given);
    expect([requests, woken]).toEqual([[], ["volume v"]]);
  });

  test("that has failed stays so, and is not asked after again", async () => {
    const { requests } = await check({ volumes: ["v 1Gi Failed for=c:uid-c"] });
    expect(requests).toEqual([]);
  });
});

// upstream: pkg/controller/volume/persistentvolume/delete_test.go
describe("a volume that is to be deleted", () => {
  const tmp = "policy=Delete path=/tmp/x";
  const failed = (volume: string, says: string): string => `${volume} says=${says.replaceAll(" ", "~")}`;
  test.each<[string, Case]>([
    [
      "goes when the controller has bound it",
      { volumes: [`v 1Gi Bound for=c:uid-c ours ${tmp}`], volumesThen: [], more: { removes: [""] } },
    ],
    [
      "goes when a user has bound it",
      { volumes: [`v 1Gi Bound for=c:uid-c ${tmp}`], volumesThen: [], more: { removes: [""] } },
    ],
    [
      "has failed where nobody knows how",
      {
        volumes: ["v 1Gi Bound for=c:uid-c policy=Delete"],
        volumesThen: [
          failed(
            "v 1Gi Failed for=c:uid-c policy=Delete",
            'error getting deleter volume plugin for volume "v": no volume plugin matched',
          ),
        ],
        events: ["Warning VolumeFailedDelete error getting deleter volume plugin"],
      },
    ],
    [
      "has failed where its directory is none that may be deleted",
      {
        volumes: ["v 1Gi Bound for=c:uid-c policy=Delete path=/data"],
        volumesThen: [
          failed(
            "v 1Gi Failed for=c:uid-c policy=Delete path=/data",
            "host_path deleter only supports /tmp/.+ but received provided /data",
          ),
        ],
        events: ["Warning VolumeFailedDelete host_path deleter only supports"],
      },
    ],
    [
      "has failed where its plugin has no directory",
      {
        volumes: [
          "v 1Gi Bound for=c:uid-c policy=Delete by=kubernetes.io/host-path held=kubernetes.io/pv-controller",
        ],
        volumesThen: [
          failed(
            "v 1Gi Failed for=c:uid-c policy=Delete by=kubernetes.io/host-path held=kubernetes.io/pv-controller",
            'failed to create deleter for volume "v": spec.PersistentVolumeSource.HostPath is nil',
          ),
        ],
        events: ["Warning VolumeFailedDelete failed to create deleter"],
      },
    ],
    [
      "has failed where its directory stays",
      {
        volumes: [`v 1Gi Bound for=c:uid-c ${tmp}`],
        volumesThen: [failed(`v 1Gi Failed for=c:uid-c ${tmp}`, "Mock delete error")],
        events: ["Warning VolumeFailedDelete Mock delete error"],
        more: { removes: ["Mock delete error"] },
      },
    ],
    [
      "and is gone already leaves nothing to do",
      {
        volumes: [`v 1Gi Released for=c:uid-c ${tmp}`],
        volumesThen: [],
        more: { before: (server, line) => void (line.startsWith("GET") && server.clear()) },
      },
    ],
    [
      "goes though there is a claim of the name",
      {
        volumes: [`v 1Gi Bound for=c:uid-x ${tmp}`],
        claims: ["c 10Gi Pending"],
        volumesThen: [],
        more: { removes: [""] },
      },
    ],
    [
      "is left to the provisioner that has made it",
      {
        volumes: ["v 1Gi Bound for=c:uid-c ours policy=Delete csi=disk by=external.io/test"],
        volumesThen: ["v 1Gi Released for=c:uid-c ours policy=Delete csi=disk by=external.io/test"],
      },
    ],
    [
      "is left to the driver that it is of",
      {
        volumes: ["v 1Gi Bound for=c:uid-c ours policy=Delete csi=disk"],
        volumesThen: ["v 1Gi Released for=c:uid-c ours policy=Delete csi=disk"],
      },
    ],
    [
      "is left to the driver that does the work of its plugin",
      {
        volumes: ["v 1Gi Bound for=c:uid-c policy=Delete by=kubernetes.io/gce-pd to=pd.csi.storage.gke.io"],
        volumesThen: [
          "v 1Gi Released for=c:uid-c policy=Delete by=kubernetes.io/gce-pd to=pd.csi.storage.gke.io",
        ],
      },
    ],
    [
      "goes where its claim has another that was made for it",
      {
        volumes: [
          `v1 1Gi Bound for=c:uid-c ${tmp} by=kubernetes.io/host-path held=kubernetes.io/pv-controller`,
          `v2 1Gi Bound for=c:uid-c ${tmp} by=kubernetes.io/host-path`,
        ],
        claims: ["c 10Gi Bound vol=v2"],
        volumesThen: [`v2 1Gi Bound for=c:uid-c ${tmp} by=kubernetes.io/host-path`],
        more: { removes: [""] },
      },
    ],
    [
      "is released where its claim has another, and a provisioner has made it",
      {
        volumes: ["v1 1Gi Bound for=c:uid-c policy=Delete csi=disk by=external.io/test"],
        claims: ["c 10Gi Bound vol=v2"],
        volumesThen: ["v1 1Gi Released for=c:uid-c policy=Delete csi=disk by=external.io/test"],
      },
    ],
    [
      "goes though it is held by what the controller has put there",
      {
        volumes: [`v 1Gi Bound for=c:uid-c ours ${tmp} going held=kubernetes.io/pv-controller`],
        volumesThen: [],
        more: { removes: [""] },
      },
    ],
  ])("%s", async (_, each) => {
    const { volumesThen = each.volumes } = each;
    const given = {
      volumes: each.volumes.map(volumeOf),
      claims: (each.claims ?? []).map(claimOf),
      ...each.more,
    };
    const outcome = await syncOnce("volume", given);
    expect(outcome.volumes.map(essenceOf)).toEqual(volumesThen.map(volumeOf).map(essenceOf));
    const { events = [] } = each;
    expect(outcome.events.map((event, at) => event.slice(0, events[at]?.length))).toEqual(events);
    expect(outcome.error).toBeUndefined();
  });

  test("and has failed is tried again, later each time", async () => {
    const given = {
      volumes: [volumeOf(`v 1Gi Bound for=c:uid-c ${tmp}`)],
      removes: ["Mock delete error"],
    };
    expect((await syncOnce("volume", given)).woken).toEqual(["volume v after 500"]);
  });

  test("and is somebody's again stays, with what is in it", async () => {
    const given: Given = {
      volumes: [volumeOf(`v 1Gi Released for=c:uid-x ${tmp}`)],
      claims: [claimOf("c 1Gi Bound vol=v")],
      removes: [""],
      before: (server, line) => {
        if (line === "GET /api/v1/persistentvolumes/v")
          server.set("/api/v1/persistentvolumes/v", volumeOf(`v 1Gi Bound for=c:uid-c ${tmp}`));
      },
    };
    const { requests } = await syncOnce("volume", given);
    expect(requests).toEqual([
      "GET /api/v1/namespaces/default/persistentvolumeclaims/c",
      "GET /api/v1/persistentvolumes/v",
    ]);
  });

  test("is deleted as this very one", async () => {
    const given = { volumes: [volumeOf(`v 1Gi Released for=c:uid-c ${tmp}`)], removes: [""] };
    const { requests } = await syncOnce("volume", given);
    expect(requests).toEqual([
      "GET /api/v1/persistentvolumes/v",
      "DELETE /api/v1/persistentvolumes/v",
      "GET /api/v1/persistentvolumes/v",
    ]);
  });
});

// upstream: pkg/controller/volume/persistentvolume/recycle_test.go, as far as no pod is made
describe("a volume that is to be recycled", () => {
  const podOf = (name: string, phase: string) => ({
    metadata: { name, namespace: "default" },
    spec: { containers: [], volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }] },
    status: { phase },
  });
  test.each<[string, Case]>([
    [
      "has failed where nobody knows how",
      {
        volumes: ["v 1Gi Bound for=c:uid-c policy=Recycle"],
        volumesThen: [
          "v 1Gi Failed for=c:uid-c policy=Recycle says=No~recycler~plugin~found~for~the~volume!",
        ],
        events: ["Warning VolumeFailedRecycle No recycler plugin found for the volume!"],
      },
    ],
    [
      "and is gone already leaves nothing to do",
      {
        volumes: ["v 1Gi Released for=c:uid-c policy=Recycle path=/tmp/x"],
        volumesThen: [],
        more: { before: (server, line) => void (line.startsWith("GET") && server.clear()) },
      },
    ],
    [
      "waits for a pod that runs",
      {
        volumes: ["v 1Gi Bound for=c:uid-c ours policy=Recycle"],
        volumesThen: ["v 1Gi Released for=c:uid-c ours policy=Recycle"],
        events: ["Normal VolumeFailedRecycle Volume is used by pods: default/one,default/two"],
        more: { pods: [podOf("two", "Running"), podOf("one", "Pending"), podOf("three", "Succeeded")] },
      },
    ],
  ])("%s", async (_, each) => {
    const spoken = (each.volumesThen ?? each.volumes).map(volumeOf).map(essenceOf);
    const outcome = await syncOnce("volume", { volumes: each.volumes.map(volumeOf), ...each.more });
    expect(outcome.volumes.map(essenceOf)).toEqual(spoken);
    expect(outcome.events).toEqual(each.events ?? []);
    expect(outcome.error).toBeUndefined();
  });

  test("and is free again already is left alone", async () => {
    const given: Given = {
      volumes: [volumeOf("v 1Gi Released for=c:uid-c ours policy=Recycle path=/tmp/x")],
      before: (server, line) => {
        if (line.startsWith("GET")) server.set("/api/v1/persistentvolumes/v", volumeOf("v 1Gi Available"));
      },
    };
    const { requests } = await syncOnce("volume", given);
    expect(requests).toEqual(["GET /api/v1/persistentvolumes/v"]);
  });
});
