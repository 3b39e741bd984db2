import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resolveOptions } from "../../../cmd/kube-controller-manager/options/resolve.ts";
import { registry } from "../../../cmd/kube-controller-manager/registry.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  Pod,
  Volume,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass, VolumeAttributesClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { plant } from "../../../pkg/cluster/plant.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";

/** As the daemon runs them, those that are built. */
const CONTROLLERS: ReadonlySet<string> = new Set([
  "ephemeral-volume-controller",
  "garbage-collector-controller",
  "persistentvolume-binder-controller",
  "persistentvolume-expander-controller",
  "persistentvolume-protection-controller",
  "persistentvolumeclaim-protection-controller",
  "selinux-warning-controller",
  "statefulset-controller",
  "volumeattributesclass-protection-controller",
]);
const controllers = registry(resolveOptions([], () => "").options, { rootCa: () => "" }).filter(({ name }) =>
  CONTROLLERS.has(name),
);

const { persistentVolumeClaims: claims, persistentVolumes, pods } = resources;
const ofClaim = (claimName: string): Volume => ({ name: claimName, persistentVolumeClaim: { claimName } });
const atOnce: StorageClass = {
  metadata: { name: "at-once" },
  provisioner: "hollow.kcm.dev",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: true,
};
const spec: PersistentVolumeClaimSpec = {
  accessModes: ["ReadWriteMany"],
  storageClassName: "at-once",
  resources: { requests: { storage: "1Gi" } },
};

describe.each(clusterKinds)("claims and volumes that are deleted on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;

  beforeAll(async () => {
    cluster = await start(["--service-cluster-ip-range=10.0.0.0/24"]);
    const namespaces = cluster.client.clientFor(resources.namespaces);
    for (const name of ["kube-node-lease", "default"])
      await namespaces.create({ metadata: { name } }).catch(() => undefined);
    await cluster.client.clientFor(resources.storageClasses).create(atOnce);
    cluster.run([...controllers, ...plant({ nodes: 1, others: controllers })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  const findVolume = async (name: string): Promise<PersistentVolume | undefined> => {
    try {
      return await cluster.client.clientFor(persistentVolumes).get({ name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const createClaim = async (name: string): Promise<string> => {
    await space.create<PersistentVolumeClaim>(claims, { metadata: { name }, spec });
    return untilBound(name);
  };
  /** Gives the name of its volume. */
  const untilBound = async (name: string): Promise<string> => {
    const bound = await space.until(
      `claim ${name} is bound`,
      async () => space.find<PersistentVolumeClaim>(claims, name),
      (seen) => seen?.status?.phase === "Bound",
    );
    return bound?.spec?.volumeName ?? "";
  };
  const createPod = async (name: string, volumes: readonly Volume[], level = "s0"): Promise<void> => {
    const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
    const securityContext = { seLinuxOptions: { level } };
    const containers = [{ name: "c", image: "image", volumeMounts }];
    await space.create<Pod>(pods, { metadata: { name }, spec: { containers, volumes, securityContext } });
  };
  const untilRuns = async (name: string): Promise<void> => {
    await space.until(
      `pod ${name} runs`,
      async () => space.find<Pod>(pods, name),
      (seen) => seen?.status?.phase === "Running",
    );
  };
  const untilGone = async (resource: TypedResource<ApiObject>, name: string): Promise<void> => {
    await space.until(
      `${resource.plural} ${name} is gone`,
      async () => (resource === persistentVolumes ? findVolume(name) : space.find(resource, name)),
      (seen) => seen === undefined,
    );
  };
  const untilEvent = async (name: string, reason: string): Promise<string> => {
    const event = await space.until(
      `event ${reason} of ${name}`,
      async () =>
        (await space.list(resources.events)).find(
          (each) => each.involvedObject.name === name && each.reason === reason,
        ),
      (seen) => seen !== undefined,
    );
    return `${event?.type} ${event?.message}`;
  };

  // upstream: test/e2e/storage/pvc_protection.go
  test("a claim that no pod uses goes at once, and its volume with it", async () => {
    const volume = await createClaim("data");
    const { metadata } = await space.get(claims, "data");
    expect(metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    await space.delete(claims, "data");
    await untilGone(claims, "data");
    await untilGone(persistentVolumes, volume);
  });

  test("a claim that a pod uses goes with the pod", async () => {
    await createClaim("data");
    await createPod("pod", [ofClaim("data")]);
    await untilRuns("pod");
    await space.delete(claims, "data");
    await space.never("the claim goes", 500, async () => (await space.find(claims, "data")) === undefined);
    await space.delete(pods, "pod");
    await untilGone(claims, "data");
  });

  test("a pod that comes to a claim that is being deleted gets no node, and does not hold the claim", async () => {
    await createClaim("data");
    await createPod("pod", [ofClaim("data")]);
    await untilRuns("pod");
    await space.delete(claims, "data");
    // Who has heard of the next claim has heard of that, too.
    await createClaim("next");
    await createPod("herald", [ofClaim("next")]);
    await untilRuns("herald");
    await createPod("late", [ofClaim("data")]);
    const late = await space.until(
      "the pod is told why",
      async () => space.get<Pod>(pods, "late"),
      (seen) => podCondition(seen, "PodScheduled")?.status === "False",
    );
    expect(podCondition(late, "PodScheduled")?.message).toContain(
      'persistentvolumeclaim "data" is being deleted',
    );
    await space.delete(pods, "pod", 0);
    await untilGone(claims, "data");
    expect((await space.get<Pod>(pods, "late")).spec?.nodeName).toBeUndefined();
  });

  // upstream: test/e2e/storage/pv_protection.go
  test("a volume that is not bound goes at once", async () => {
    const name = `${space.namespace}-free`;
    const volumes = cluster.client.clientFor(persistentVolumes);
    const { accessModes } = spec;
    const hostPath = { path: "/data" };
    const created = await volumes.create({
      metadata: { name },
      spec: { ...(accessModes && { accessModes }), capacity: { storage: "1Gi" }, hostPath },
    });
    expect(created.metadata.finalizers).toEqual(["kubernetes.io/pv-protection"]);
    await volumes.delete({ name });
    await untilGone(persistentVolumes, name);
  });

  test("a volume that is bound goes with its claim", async () => {
    const volume = await createClaim("data");
    await cluster.client.clientFor(persistentVolumes).delete({ name: volume });
    await space.never("the volume goes", 500, async () => (await findVolume(volume)) === undefined);
    await space.delete(claims, "data");
    await untilGone(claims, "data");
    await untilGone(persistentVolumes, volume);
  });

  test("a StatefulSet that is deleted in the foreground takes its pods, claims and volumes along", async () => {
    const labels = { app: "db" };
    const containers = [{ name: "c", image: "image", volumeMounts: [{ name: "data", mountPath: "/d" }] }];
    await space.create<StatefulSet>(resources.statefulSets, {
      metadata: { name: "db" },
      spec: {
        replicas: 2,
        serviceName: "db",
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec }],
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      },
    });
    const names = ["data-db-0", "data-db-1"];
    const volumes = [];
    for (const name of names) volumes.push(await untilBound(name));
    await untilRuns("db-1");
    const ref = { namespace: space.namespace, name: "db" };
    await cluster.client.clientFor(resources.statefulSets).delete(ref, { propagationPolicy: "Foreground" });
    await untilGone(resources.statefulSets, "db");
    for (const name of names) await untilGone(claims, name);
    for (const volume of volumes) await untilGone(persistentVolumes, volume);
    expect(await space.list(pods)).toEqual([]);
  });

  test("the claim of an ephemeral volume comes and goes with its pod", async () => {
    await createPod("pod", [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }]);
    const volume = await untilBound("pod-scratch");
    await untilRuns("pod");
    await space.delete(claims, "pod-scratch");
    await space.never("it goes", 500, async () => (await space.find(claims, "pod-scratch")) === undefined);
    await space.delete(pods, "pod");
    await untilGone(claims, "pod-scratch");
    await untilGone(persistentVolumes, volume);
  });

  test("a class of attributes goes when no claim uses it", async () => {
    const classes = cluster.client.clientFor<VolumeAttributesClass>(resources.volumeAttributesClasses);
    const name = `${space.namespace}-gold`;
    const find = async (): Promise<VolumeAttributesClass | undefined> =>
      (await classes.list()).items.find(({ metadata }) => metadata.name === name);
    await classes.create({ metadata: { name }, driverName: "hollow.kcm.dev", parameters: { iops: "5" } });
    await space.until("it is protected", find, (seen) => seen?.metadata.finalizers !== undefined);
    await space.create<PersistentVolumeClaim>(claims, {
      metadata: { name: "data" },
      spec: { ...spec, volumeAttributesClassName: name },
    });
    const volume = await untilBound("data");
    await classes.delete({ name });
    await space.never("it goes", 500, async () => (await find()) === undefined);
    await space.delete(claims, "data");
    await untilGone(persistentVolumes, volume);
    await space.until("it is gone", find, (seen) => seen === undefined);
  });

  test("a claim that asks for more gets it", async () => {
    const volume = await createClaim("data");
    await space.patch(claims, "data", { spec: { resources: { requests: { storage: "3Gi" } } } });
    const { status } = await space.until(
      "the claim has more",
      async () => space.get<PersistentVolumeClaim>(claims, "data"),
      (seen) => seen.status?.capacity?.["storage"] === "3Gi",
    );
    expect([status?.allocatedResources, status?.allocatedResourceStatuses, status?.conditions]).toEqual([
      { storage: "3Gi" },
      undefined,
      undefined,
    ]);
    expect((await findVolume(volume))?.spec?.capacity).toEqual({ storage: "3Gi" });
    expect(await untilEvent("data", "VolumeResizeSuccessful")).toBe("Normal Resize volume succeeded");
  });

  test("pods that share a volume with different labels are told", async () => {
    const drivers = cluster.client.clientFor(resources.csiDrivers);
    await space.until(
      "there is the driver",
      async () => (await drivers.list()).items,
      (seen) => seen.some(({ metadata }) => metadata.name === "hollow.kcm.dev"),
    );
    await drivers.patch(
      { name: "hollow.kcm.dev" },
      { type: "merge", body: { spec: { seLinuxMount: true } } },
    );
    await createClaim("data");
    await createPod("a", [ofClaim("data")], "s0:c1,c2");
    await createPod("b", [ofClaim("data")], "s0:c98,c99");
    const only = "If both pods land on the same node, only one of them may access the volume.";
    expect(await untilEvent("a", "SELinuxLabelConflict")).toBe(
      `Normal SELinuxLabel ":::s0:c1,c2" conflicts with pod b that uses the same volume as this pod with SELinuxLabel ":::s0:c98,c99". ${only}`,
    );
    expect(await untilEvent("b", "SELinuxLabelConflict")).toContain("conflicts with pod a that");
  });
});
