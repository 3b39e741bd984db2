import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  PersistentVolumeSpec,
} from "../../pkg/api/types/core-v1.gen.ts";
import { forbidden } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { volumeExpanderController } from "./controller.ts";

const PRE_RESIZE = "volume.alpha.kubernetes.io/pre-resize-capacity";
const RESIZER = "volume.kubernetes.io/storage-resizer";
const ebs: Partial<PersistentVolumeSpec> = { awsElasticBlockStore: { volumeID: "vol", fsType: "ext4" } };
const csi: Partial<PersistentVolumeSpec> = { csi: { driver: "com.csi.ceph", volumeHandle: "vol" } };
const flex: Partial<PersistentVolumeSpec> = { flexVolume: { driver: "example.com/flex" } };
const STATUS = "patch persistentvolumeclaims/status data";
const WAITING = "Normal ExternalExpanding waiting for an external controller to expand this PVC";
const HANDED_OVER =
  "Normal ExternalExpanding CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

interface Pair {
  readonly asks?: string;
  readonly has?: string;
  readonly source: Partial<PersistentVolumeSpec>;
  readonly capacity?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: PersistentVolumeClaimStatus;
  readonly uid?: string;
}

const claims = () => world.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);
const volumes = () => world.client.clientFor<PersistentVolume>(resources.persistentVolumes);
const claim = async (): Promise<PersistentVolumeClaim> =>
  claims().get({ namespace: "default", name: "data" });
const volume = async (): Promise<PersistentVolume> => volumes().get({ name: "vol" });

async function createPair(pair: Pair): Promise<void> {
  const { asks = "2Gi", has = "1Gi", source, capacity = has, annotations = {}, status = {}, uid } = pair;
  const accessModes = ["ReadWriteOnce"];
  const created = await world.createWithStatus<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
    metadata: { name: "data" },
    spec: { accessModes, volumeName: "vol", resources: { requests: { storage: asks } } },
    status: { phase: "Bound", accessModes, capacity: { storage: has }, ...status },
  });
  const claimRef = { namespace: "default", name: "data", uid: uid ?? created.metadata.uid ?? "" };
  await world.createWithStatus<PersistentVolume>(resources.persistentVolumes, {
    metadata: { name: "vol", annotations },
    spec: { accessModes, capacity: { storage: capacity }, claimRef, ...source },
    status: { phase: "Bound" },
  });
}

async function ask(storage: string): Promise<void> {
  const body = { spec: { resources: { requests: { storage } } } };
  await claims().patch({ namespace: "default", name: "data" }, { type: "merge", body });
}

async function writes(): Promise<readonly string[]> {
  await world.run(10_000);
  return world
    .takeWrites()
    .map(lineOf)
    .filter((line) => !line.includes(" events"));
}

async function events(): Promise<readonly string[]> {
  await world.run();
  const found = await world.list(resources.events);
  return found.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

// upstream: pkg/controller/volume/expand/expand_controller_test.go#TestSyncHandler
describe("a claim that asks for more than it has", () => {
  test("and has no volume is looked at again until it has", async () => {
    await createPair({ source: csi });
    await volumes().delete({ name: "vol" });
    const set = await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[], []]);
    const page = set.debug("persistentvolume-expander-controller", "/", new URLSearchParams())?.body;
    expect(page).toContain("again after a delay that grows");
    const { metadata } = await claim();
    await world.create<PersistentVolume>(resources.persistentVolumes, {
      metadata: { name: "vol" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        claimRef: { namespace: "default", name: "data", uid: metadata.uid ?? "" },
        ...csi,
      },
    });
    await world.run(60_000);
    expect(await events()).toEqual([WAITING]);
  });

  test("is handed over to the driver that does the work of its plugin", async () => {
    await createPair({ source: ebs });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[STATUS], [HANDED_OVER]]);
    const { metadata, status } = await claim();
    expect(metadata.annotations).toEqual({ [RESIZER]: "ebs.csi.aws.com" });
    expect(status).toEqual({
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
    });
    await world.run(600_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("of a CSI driver is waited for", async () => {
    await createPair({ source: csi });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[], [WAITING]]);
    const [event] = await world.list(resources.events);
    expect(event).toMatchObject({ source: { component: "volume_expand" }, involvedObject: { name: "data" } });
    expect((await claim()).metadata.annotations).toBeUndefined();
  });

  test("though its volume is kept for nodes, is handed over as well", async () => {
    await createPair({ source: ebs, asks: "2Gi", has: "2Gi", annotations: { [PRE_RESIZE]: "1Gi" } });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[STATUS], [HANDED_OVER]]);
  });

  test("that was handed over before is not written again", async () => {
    await createPair({ source: ebs });
    const annotations = { [RESIZER]: "ebs.csi.aws.com" };
    await claims().patch(
      { namespace: "default", name: "data" },
      { type: "merge", body: { metadata: { annotations } } },
    );
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[], [HANDED_OVER]]);
  });

  test("is told when it cannot be handed over, which is tried again", async () => {
    await createPair({ source: ebs });
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "persistentvolumeclaims" },
      action: {
        kind: "status",
        when: "before",
        error: forbidden(resources.persistentVolumeClaims, "data", "no"),
      },
      times: 1,
    });
    await world.start(volumeExpanderController());
    expect(await writes()).toEqual([STATUS, STATUS]);
    expect(await events()).toEqual([
      HANDED_OVER,
      expect.stringMatching(
        /^Warning ExternalExpanding error setting resizer annotation to pvc default\/data, with error .*no/,
      ),
    ]);
    expect((await claim()).metadata.annotations).toEqual({ [RESIZER]: "ebs.csi.aws.com" });
  });

  test("and was made anew meanwhile is not written for the one before", async () => {
    await createPair({ source: ebs });
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "persistentvolumeclaims" },
      action: {
        kind: "interfere",
        run: async () => {
          await claims().delete({ namespace: "default", name: "data" });
          await world.create<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          });
        },
      },
      times: 1,
    });
    await world.start(volumeExpanderController());
    await writes();
    expect((await claim()).metadata.annotations).toBeUndefined();
  });
});

describe("a claim", () => {
  test("whose volume is another's is left alone", async () => {
    await createPair({ source: ebs, uid: "somebody-else" });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[], []]);
  });

  test("that has what it asks for is nobody's affair, in other words, too", async () => {
    await createPair({ source: ebs, asks: "1024Mi" });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([[], []]);
  });

  test("is looked at when it asks for more, and not for other changes", async () => {
    await createPair({ source: csi, asks: "1Gi" });
    const set = await world.start(volumeExpanderController());
    const syncs = (): number | undefined =>
      set.health().get("persistentvolume-expander-controller")?.pools["volume_expand"]?.syncs;
    expect(syncs()).toBe(1);
    const body = { metadata: { labels: { a: "b" } } };
    await claims().patch({ namespace: "default", name: "data" }, { type: "merge", body });
    await world.run();
    expect([syncs(), await events()]).toEqual([1, []]);
    await ask("3Gi");
    await world.run();
    expect([syncs(), await events()]).toEqual([2, [WAITING]]);
  });

  test("that is not bound is not looked at", async () => {
    await createPair({ source: csi, status: { phase: "Lost" } });
    const set = await world.start(volumeExpanderController());
    expect(set.health().get("persistentvolume-expander-controller")?.pools["volume_expand"]?.syncs).toBe(0);
  });
});

// upstream: pkg/volume/util/operationexecutor/operation_generator_test.go#TestOperationGenerator_GenerateExpandAndRecoverVolumeFunc
describe("a FlexVolume, which nodes make larger", () => {
  test("is said to be larger, and left to them until they are done", async () => {
    await createPair({ source: flex });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([
      [STATUS, "patch persistentvolumes vol", STATUS, "patch persistentvolumes vol"],
      [],
    ]);
    const { metadata, status } = await claim();
    expect(metadata.annotations).toEqual({ [RESIZER]: "example.com/flex" });
    expect(status).toMatchObject({
      capacity: { storage: "1Gi" },
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "NodeResizePending" },
      conditions: [
        { type: "Resizing", status: "True" },
        {
          type: "FileSystemResizePending",
          status: "True",
          message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
        },
      ],
    });
    const grown = await volume();
    expect([grown.spec?.capacity, grown.metadata.annotations]).toEqual([
      { storage: "2Gi" },
      { [PRE_RESIZE]: "1Gi" },
    ]);
    await world.run(600_000);
    expect(await writes()).toEqual([]);

    const done = await claim();
    const { allocatedResourceStatuses: _, conditions: __, ...rest } = done.status ?? {};
    await claims().updateStatus({ ...done, status: { ...rest, capacity: { storage: "2Gi" } } });
    expect(await writes()).toEqual(["patch persistentvolumes vol"]);
    expect((await volume()).metadata.annotations).toBeUndefined();
  });

  test("that is a block device has nothing to wait for", async () => {
    await createPair({ source: { ...flex, volumeMode: "Block" } });
    await world.start(volumeExpanderController());
    expect([await writes(), await events()]).toEqual([
      [STATUS, "patch persistentvolumes vol", STATUS],
      ["Normal VolumeResizeSuccessful ExpandVolume succeeded for volume default/data"],
    ]);
    const { status } = await claim();
    expect(status).toMatchObject({ capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } });
    expect([status?.allocatedResourceStatuses, status?.conditions ?? []]).toEqual([undefined, []]);
  });

  test("that nodes could not make larger is tried on them again", async () => {
    const status = {
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
    };
    await createPair({ source: flex, capacity: "2Gi", status });
    await world.start(volumeExpanderController());
    expect(await writes()).toEqual([STATUS, "patch persistentvolumes vol"]);
    expect((await claim()).status?.allocatedResourceStatuses).toEqual({ storage: "NodeResizePending" });
  });

  test("that cannot be written is told of, and tried again", async () => {
    await createPair({ source: flex });
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "persistentvolumes" },
      action: { kind: "status", when: "before", error: forbidden(resources.persistentVolumes, "vol", "no") },
      times: 1,
    });
    await world.start(volumeExpanderController());
    await writes();
    expect(await events()).toEqual([expect.stringMatching(/^Warning VolumeResizeFailed .*no/)]);
    expect((await volume()).spec?.capacity).toEqual({ storage: "2Gi" });
  });
});

test("it works under the name that upstream has for it", () => {
  const { clientName, eventSource } = volumeExpanderController();
  expect([clientName, eventSource]).toEqual(["expand-controller", "volume_expand"]);
});
