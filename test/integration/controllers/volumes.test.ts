import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ephemeralVolumeController } from "../../../controllers/ephemeralvolume/controller.ts";
import { claimProtectionController } from "../../../controllers/pvcprotection/controller.ts";
import { volumeProtectionController } from "../../../controllers/pvprotection/controller.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  Event,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  Pod,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { volumeBinder } from "../../harness/volume-binder.ts";
import { plant } from "../../../pkg/cluster/plant.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { Daemon, goProgram, type Program } from "../../harness/daemon.ts";
import type { TestSpace } from "../../harness/test-space.ts";

/** What the Go program does itself; who binds to nodes and makes volumes is this repository's in any case. */
const GO_CONTROLLERS = [
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
  "persistentvolume-binder-controller",
  "ephemeral-volume-controller",
];

interface Stage {
  readonly name: string;
  readonly start: () => Promise<ControllerCluster>;
  readonly program?: Program;
}

const flags = ["--service-cluster-ip-range=10.0.0.0/24"];
const stages: readonly Stage[] = clusterKinds.flatMap(({ name, start }): readonly Stage[] => {
  const ours = { name: `${name} API server`, start: async () => start(flags) };
  if (name !== "real" || goProgram === undefined) return [ours];
  return [ours, { ...ours, name: "real API server by the Go program", program: goProgram }];
});

const CLASSES: readonly StorageClass[] = [
  { metadata: { name: "at-once" }, provisioner: "hollow.kcm.dev", volumeBindingMode: "Immediate" },
  {
    metadata: { name: "kept" },
    provisioner: "hollow.kcm.dev",
    volumeBindingMode: "Immediate",
    reclaimPolicy: "Retain",
  },
  { metadata: { name: "nobody" }, provisioner: "example.com/nobody", volumeBindingMode: "Immediate" },
];

describe.each(stages)("claims and volumes on the $name", ({ start, program }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  let daemon: Daemon | undefined;

  beforeAll(async () => {
    cluster = await start();
    const others = program === undefined ? [] : GO_CONTROLLERS.map((name) => ({ name }));
    const namespaces = cluster.client.clientFor(resources.namespaces);
    for (const name of ["kube-node-lease", "default"])
      await namespaces.create({ metadata: { name } }).catch(() => undefined);
    for (const object of CLASSES) await cluster.client.clientFor(resources.storageClasses).create(object);
    cluster.run(plant({ nodes: 1, others }));
    if (program === undefined)
      cluster.run([
        claimProtectionController(),
        volumeProtectionController(),
        ephemeralVolumeController({ workers: 5 }),
        volumeBinder(),
      ]);
    else {
      daemon = new Daemon(program, [
        `--kubeconfig=${cluster.kubeconfig}`,
        `--controllers=${GO_CONTROLLERS.join()}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--pvclaimbinder-sync-period=1s",
      ]);
    }
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => {
    await daemon?.end("SIGKILL");
    await cluster.stop();
  });

  const claims = resources.persistentVolumeClaims;
  const volumes = () => cluster.client.clientFor<PersistentVolume>(resources.persistentVolumes);
  const findVolume = async (name: string): Promise<PersistentVolume | undefined> => {
    try {
      return await volumes().get({ name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const createClaim = async (
    name: string,
    spec: PersistentVolumeClaimSpec = {},
  ): Promise<PersistentVolumeClaim> => {
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec };
    return space.create<PersistentVolumeClaim>(claims, { metadata: { name }, spec: claim });
  };
  /** Volumes have no namespace: the one of the test is in their names. */
  const createVolume = async (
    name: string,
    spec: PersistentVolumeSpec = {},
    annotations: Record<string, string> = {},
  ): Promise<string> => {
    const full = `${space.namespace}-${name}`;
    await volumes().create({
      metadata: { name: full, annotations },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        hostPath: { path: "/data" },
        storageClassName: space.namespace,
        ...spec,
      },
    });
    return full;
  };
  const createPod = async (name: string, ...claimNames: readonly string[]): Promise<void> => {
    const used = claimNames.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    await space.create<Pod>(resources.pods, {
      metadata: { name },
      spec: { containers: [{ name: "c", image: "image" }], volumes: used },
    });
  };
  const untilClaim = async (name: string, phase: string): Promise<PersistentVolumeClaim> => {
    const claim = await space.until(
      `claim ${name} is ${phase}`,
      async () => space.find<PersistentVolumeClaim>(claims, name),
      (seen) => seen?.status?.phase === phase,
    );
    if (claim === undefined) throw new Error("it is gone");
    return claim;
  };
  const untilVolume = async (name: string, phase: string): Promise<PersistentVolume> => {
    const volume = await space.until(
      `volume ${name} is ${phase}`,
      async () => findVolume(name),
      (seen) => seen?.status?.phase === phase,
    );
    if (volume === undefined) throw new Error("it is gone");
    return volume;
  };
  const untilGone = async (what: string, find: () => Promise<ApiObject | undefined>): Promise<void> => {
    await space.until(`${what} is gone`, find, (seen) => seen === undefined);
  };
  const untilEvent = async (name: string, reason: string, namespace = space.namespace): Promise<string> => {
    const event = await space.until(
      `event ${reason} of ${name}`,
      async () =>
        (await cluster.client.clientFor<Event>(resources.events).list({ namespace })).items.find(
          ({ involvedObject, ...event }) => involvedObject.name === name && event.reason === reason,
        ),
      (seen) => seen !== undefined,
    );
    return `${event?.type} ${event?.message}`;
  };
  /** Annotations, without what the protocol between binder and provisioner leaves. */
  const annotationsOf = ({ metadata }: ApiObject): readonly string[] =>
    Object.entries(metadata.annotations ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .toSorted();

  test("a claim of the default class waits for its pod, and the pod for it", async () => {
    await space.until(
      "there is a default class",
      async () => (await cluster.client.clientFor(resources.storageClasses).list()).items,
      (seen) => seen.some(({ metadata }) => metadata.name === "standard"),
    );
    await createClaim("data");
    expect(await untilEvent("data", "WaitForFirstConsumer")).toBe(
      "Normal waiting for first consumer to be created before binding",
    );
    expect((await space.get<PersistentVolumeClaim>(claims, "data")).status).toEqual({ phase: "Pending" });
    await createPod("pod", "data");
    const claim = await untilClaim("data", "Bound");
    const volumeName = `pvc-${claim.metadata.uid}`;
    expect(claim.spec).toMatchObject({ storageClassName: "standard", volumeName });
    expect(claim.status).toEqual({
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
    });
    expect(annotationsOf(claim)).toEqual([
      "pv.kubernetes.io/bind-completed=yes",
      "pv.kubernetes.io/bound-by-controller=yes",
      "volume.beta.kubernetes.io/storage-provisioner=hollow.kcm.dev",
      "volume.kubernetes.io/selected-node=node-0",
      "volume.kubernetes.io/storage-provisioner=hollow.kcm.dev",
    ]);
    const volume = await untilVolume(volumeName, "Bound");
    expect(annotationsOf(volume)).toEqual(["pv.kubernetes.io/provisioned-by=hollow.kcm.dev"]);
    expect(volume.spec).toMatchObject({
      claimRef: { kind: "PersistentVolumeClaim", name: "data", uid: claim.metadata.uid },
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName: "standard",
    });
    await space.until(
      "the pod has its node",
      async () => space.get<Pod>(resources.pods, "pod"),
      ({ spec, status }) => spec?.nodeName === "node-0" && status?.phase === "Running",
    );
  });

  test("a claim that is used stays until the pod is gone, and its volume goes with it", async () => {
    await createClaim("data");
    await createPod("pod", "data");
    const { spec } = await untilClaim("data", "Bound");
    await space.until(
      "the pod runs",
      async () => space.get<Pod>(resources.pods, "pod"),
      ({ status }) => status?.phase === "Running",
    );
    await space.delete(claims, "data");
    await volumes().delete({ name: spec?.volumeName ?? "" });
    await space.never(
      "claim or volume go",
      1_000,
      async () =>
        (await space.find(claims, "data")) === undefined ||
        (await findVolume(spec?.volumeName ?? "")) === undefined,
    );
    await space.delete(resources.pods, "pod", 0);
    await untilGone("the claim", async () => space.find(claims, "data"));
    await untilGone("the volume", async () => findVolume(spec?.volumeName ?? ""));
  });

  test("a claim of a class that binds at once needs no pod, and goes", async () => {
    await createClaim("data", { storageClassName: "at-once", accessModes: ["ReadWriteMany"] });
    const claim = await untilClaim("data", "Bound");
    expect(annotationsOf(claim)).not.toContain("volume.kubernetes.io/selected-node=node-0");
    await space.delete(claims, "data");
    await untilGone("the claim", async () => space.find(claims, "data"));
    await untilGone("the volume", async () => findVolume(claim.spec?.volumeName ?? ""));
  });

  test("a volume that is to be retained is released, and no other claim gets it", async () => {
    await createClaim("data", { storageClassName: "kept" });
    const { spec, metadata } = await untilClaim("data", "Bound");
    await space.delete(claims, "data");
    const volume = await untilVolume(spec?.volumeName ?? "", "Released");
    expect(volume.spec?.claimRef).toMatchObject({ name: "data", uid: metadata.uid });
    await createClaim("data", { storageClassName: "kept" });
    const again = await untilClaim("data", "Bound");
    expect(again.spec?.volumeName).not.toBe(spec?.volumeName);
    await volumes().delete({ name: spec?.volumeName ?? "" });
    await untilGone("the volume", async () => findVolume(spec?.volumeName ?? ""));
  });

  test("of volumes that were there the smallest that fits is taken, and says who it was", async () => {
    const className = space.namespace;
    await createVolume("large", { capacity: { storage: "5Gi" } });
    await createVolume("small", { capacity: { storage: "1Gi" } });
    const fitting = await createVolume("fitting", { capacity: { storage: "3Gi" } });
    await createVolume("modes", { capacity: { storage: "2Gi" }, accessModes: ["ReadOnlyMany"] });
    for (const name of ["large", "small", "modes"]) await untilVolume(`${className}-${name}`, "Available");
    await untilVolume(fitting, "Available");
    await createClaim("data", {
      storageClassName: className,
      resources: { requests: { storage: "2Gi" } },
    });
    const claim = await untilClaim("data", "Bound");
    expect([claim.spec?.volumeName, claim.status?.capacity]).toEqual([fitting, { storage: "3Gi" }]);
    expect(annotationsOf(claim)).toEqual([
      "pv.kubernetes.io/bind-completed=yes",
      "pv.kubernetes.io/bound-by-controller=yes",
    ]);
    expect(annotationsOf(await untilVolume(fitting, "Bound"))).toEqual([
      "pv.kubernetes.io/bound-by-controller=yes",
    ]);
    expect(await findVolume(`${className}-large`)).toMatchObject({ status: { phase: "Available" } });
  });

  test("a volume that is kept for a claim is found by it, whatever else there is", async () => {
    const className = space.namespace;
    await createVolume("other");
    const claimRef = { namespace: space.namespace, name: "data" };
    const kept = await createVolume("kept", { capacity: { storage: "9Gi" }, claimRef });
    await untilVolume(kept, "Available");
    await createClaim("data", { storageClassName: className });
    const claim = await untilClaim("data", "Bound");
    expect(claim.spec?.volumeName).toBe(kept);
    const volume = await untilVolume(kept, "Bound");
    expect(annotationsOf(volume)).toEqual([]);
    expect(volume.spec?.claimRef?.uid).toBe(claim.metadata.uid);
  });

  test("a claim that names its volume gets that or none", async () => {
    const className = space.namespace;
    const small = await createVolume("small");
    const fitting = await createVolume("fitting", { capacity: { storage: "2Gi" } });
    const spec = { storageClassName: className, resources: { requests: { storage: "2Gi" } } };
    await createClaim("data", { ...spec, volumeName: fitting });
    expect(annotationsOf(await untilClaim("data", "Bound"))).toEqual(["pv.kubernetes.io/bind-completed=yes"]);
    await createClaim("too-much", { ...spec, volumeName: small });
    expect(await untilEvent("too-much", "VolumeMismatch")).toBe(
      `Warning Cannot bind to requested volume "${small}": requested PV is too small`,
    );
    await createClaim("late", { ...spec, volumeName: fitting });
    expect(await untilEvent("late", "FailedBinding")).toBe(
      `Warning volume "${fitting}" already bound to a different claim.`,
    );
    expect((await space.get<PersistentVolumeClaim>(claims, "late")).status).toEqual({ phase: "Pending" });
  });

  test("a claim that has lost its volume says so", async () => {
    const name = await createVolume("lost");
    await createClaim("data", { storageClassName: space.namespace });
    await untilClaim("data", "Bound");
    await volumes().delete({ name });
    await volumes().patch({ name }, { type: "merge", body: { metadata: { finalizers: null } } });
    const claim = await untilClaim("data", "Lost");
    expect(claim.status).toEqual({ phase: "Lost" });
    expect(await untilEvent("data", "ClaimLost")).toBe(
      "Warning Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  });

  test("a volume that nobody can delete has failed, and says why", async () => {
    const name = await createVolume("data", { persistentVolumeReclaimPolicy: "Delete" });
    await createClaim("data", { storageClassName: space.namespace });
    await untilClaim("data", "Bound");
    await space.delete(claims, "data");
    const message = "host_path deleter only supports /tmp/.+ but received provided /data";
    expect((await untilVolume(name, "Failed")).status?.message).toBe(message);
    expect(await untilEvent(name, "VolumeFailedDelete", "default")).toBe(`Warning ${message}`);
  });

  test.each([
    ["nobody", "ExternalProvisioning", /^Normal Waiting for a volume to be created either by the external/],
    ["missing", "ProvisioningFailed", /^Warning storageclass.storage.k8s.io "missing" not found$/],
    [
      "",
      "FailedBinding",
      /^Normal no persistent volumes available for this claim and no storage class is set$/,
    ],
  ])("a claim of class %j waits, and says for what", async (storageClassName, reason, message) => {
    await createClaim("data", { storageClassName });
    expect(await untilEvent("data", reason)).toMatch(message);
    await createPod("pod", "data");
    expect(await untilEvent("pod", "FailedScheduling")).toBe(
      "Warning 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    );
    const pod = await space.get<Pod>(resources.pods, "pod");
    expect([pod.spec?.nodeName, pod.status?.phase]).toEqual([undefined, "Pending"]);
  });

  test("an ephemeral volume has a claim of its own, which goes with the pod", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await space.create<Pod>(resources.pods, {
      metadata: { name: "pod" },
      spec: {
        containers: [{ name: "c", image: "image" }],
        volumes: [
          { name: "scratch", ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec } } },
        ],
      },
    });
    const claim = await untilClaim("pod-scratch", "Bound");
    expect(claim.metadata).toMatchObject({
      labels: { a: "b" },
      ownerReferences: [{ kind: "Pod", name: "pod", controller: true }],
    });
  });
});
