import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claimProtectionController } from "../../../controllers/pvcprotection/controller.ts";
import { volumeProtectionController } from "../../../controllers/pvprotection/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { isConflict, isNotFound } from "../../../pkg/client/errors.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { STRESS } from "../../harness/stress.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { volumeBinder } from "../../harness/volume-binder.ts";

const { persistentVolumes, persistentVolumeClaims, pods, storageClasses } = resources;
const COUNT = STRESS ? 100 : 30;

// upstream: test/integration/volume/persistent_volumes_test.go
describe.each(accountClusterKinds)("claims and volumes on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(() => [
      volumeBinder({ retryPeriodMs: 1_000 }),
      claimProtectionController(),
      volumeProtectionController(),
      serviceAccountController(),
    ]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster?.stop());

  const volumes = () => cluster.client.clientFor<PersistentVolume>(persistentVolumes);
  /** Volumes have no namespace: that of the test is in their names, and is their class. */
  const full = (name: string): string => `${space.namespace}-${name}`;

  async function createVolume(name: string, storage: string, spec: PersistentVolumeSpec = {}): Promise<void> {
    const source = spec.csi === undefined ? { hostPath: { path: `/tmp/${full(name)}` } } : {};
    await volumes().create({
      metadata: { name: full(name) },
      spec: {
        ...source,
        capacity: { storage },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: space.namespace,
        ...spec,
      },
    });
  }

  async function createClaim(
    name: string,
    storage: string,
    spec: PersistentVolumeClaimSpec = {},
  ): Promise<PersistentVolumeClaim> {
    return space.create<PersistentVolumeClaim>(persistentVolumeClaims, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage } },
        storageClassName: space.namespace,
        ...spec,
      },
    });
  }

  async function findVolume(name: string): Promise<PersistentVolume | undefined> {
    try {
      return await volumes().get({ name: full(name) });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async function untilVolume(name: string, phase: string): Promise<PersistentVolume | undefined> {
    return space.until(
      `volume ${name} is ${phase}`,
      async () => findVolume(name),
      (seen) => seen?.status?.phase === phase,
    );
  }

  async function untilClaim(name: string, phase = "Bound"): Promise<PersistentVolumeClaim> {
    return space.until(
      `claim ${name} is ${phase}`,
      async () => space.get<PersistentVolumeClaim>(persistentVolumeClaims, name),
      ({ status }) => status?.phase === phase,
    );
  }

  /** Names of the volumes of this test that somebody has, and who that is. */
  async function boundVolumes(): Promise<Readonly<Record<string, string>>> {
    const { items } = await volumes().list();
    const ours = items.filter(({ metadata }) => metadata.name.startsWith(`${space.namespace}-`));
    return Object.fromEntries(
      ours.flatMap(({ metadata, spec }) =>
        spec?.claimRef === undefined
          ? []
          : [[metadata.name.slice(space.namespace.length + 1), spec.claimRef.name ?? ""]],
      ),
    );
  }

  async function deleteClaim(name: string): Promise<void> {
    await cluster.client.clientFor(persistentVolumeClaims).delete({ namespace: space.namespace, name });
  }

  test("PersistentVolumeRecycler: a volume is scrubbed, and available again", async () => {
    await createVolume("v", "10G", { persistentVolumeReclaimPolicy: "Recycle" });
    await createClaim("c", "5G");
    await untilClaim("c");
    await untilVolume("v", "Bound");
    await deleteClaim("c");
    await untilVolume("v", "Released");
    const ref = { namespace: "default", name: `recycler-for-${full("v")}` };
    const podClient = cluster.client.clientFor(pods);
    await space.until(
      "the pod is there",
      async () => (await podClient.list({ namespace: "default" })).items,
      (seen) => seen.some(({ metadata }) => metadata.name === ref.name),
    );
    const body = { status: { phase: "Succeeded" } };
    await podClient.patch(ref, { type: "merge", body }, { subresource: "status" });
    const volume = await untilVolume("v", "Available");
    expect(volume?.spec?.claimRef).toBeUndefined();
  });

  test("PersistentVolumeDeleter: a volume goes after its claim", async () => {
    await createVolume("v", "10G", { persistentVolumeReclaimPolicy: "Delete" });
    await createClaim("c", "5G");
    await untilClaim("c");
    await deleteClaim("c");
    await space.until(
      "the volume is gone",
      async () => findVolume("v"),
      (seen) => seen === undefined,
    );
  });

  test("PersistentVolumeBindRace: of many claims the one that the volume is kept for gets it", async () => {
    for (let each = 0; each < COUNT; each++) await createClaim(`c-${each}`, "5G");
    const name = `c-${Math.floor(COUNT / 2)}`;
    await createVolume("v", "10G", { claimRef: { namespace: space.namespace, name } });
    await untilClaim(name);
    await untilVolume("v", "Bound");
    expect(await boundVolumes()).toEqual({ v: name });
  });

  test.each([
    ["PersistentVolumeClaimLabelSelector", { matchLabels: { foo: "true" } }],
    [
      "PersistentVolumeClaimLabelSelectorMatchExpressions",
      {
        matchExpressions: [
          { key: "foo", operator: "In", values: ["true"] },
          { key: "bar", operator: "Exists" },
        ],
      },
    ],
  ])("%s: a claim gets the volume that it selects", async (_, selector) => {
    await createVolume("false", "1G");
    await volumes().create({
      metadata: { name: full("true"), labels: { foo: "true", bar: "" } },
      spec: {
        hostPath: { path: "/tmp/x" },
        capacity: { storage: "1G" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: space.namespace,
      },
    });
    await untilVolume("false", "Available");
    await createClaim("c", "1G", { selector });
    expect((await untilClaim("c")).spec?.volumeName).toBe(full("true"));
    expect(await boundVolumes()).toEqual({ true: "c" });
  });

  test("PersistentVolumeMultiPVs: of many volumes the claim gets the smallest that is large enough", async () => {
    for (let each = 1; each <= COUNT; each++) await createVolume(`v-${each}`, `${each}G`);
    for (let each = 1; each <= COUNT; each++) await untilVolume(`v-${each}`, "Available");
    await createClaim("c", `${COUNT / 2}G`);
    await untilClaim("c");
    expect(await boundVolumes()).toEqual({ [`v-${COUNT / 2}`]: "c" });
    await deleteClaim("c");
    await untilVolume(`v-${COUNT / 2}`, "Released");
  });

  test.each<[string, PersistentVolumeClaimSpec, string]>([
    ["none", {}, "none"],
    ["an empty class", { volumeAttributesClassName: "" }, "none"],
    ["a class", { volumeAttributesClassName: "gold" }, "gold"],
    [
      "a class, and a volume by its name",
      { volumeAttributesClassName: "gold", volumeName: "gold2" },
      "gold2",
    ],
  ])("PersistentVolumeClaimVolumeAttirbutesClassName: with %s", async (_, spec, expected) => {
    const csi = { driver: "mock-driver", volumeHandle: "handle" };
    for (const name of ["none", "gold", "gold2", "silver"])
      await createVolume(name, "1G", {
        csi,
        ...(name !== "none" && { volumeAttributesClassName: name.replace("2", "") }),
      });
    for (const name of ["none", "gold", "gold2", "silver"]) await untilVolume(name, "Available");
    const volumeName = spec.volumeName === undefined ? {} : { volumeName: full(spec.volumeName) };
    await createClaim("c", "1G", { ...spec, ...volumeName });
    const claim = await untilClaim("c");
    expect(await boundVolumes()).toEqual({ [expected]: "c" });
    const current = expected === "none" ? undefined : "gold";
    expect(claim.status?.currentVolumeAttributesClassName).toBe(current);
  });

  test("PersistentVolumeMultiPVsPVCs: many claims get a volume each, whatever users write meanwhile", async () => {
    for (let each = 0; each < COUNT; each++) await createVolume(`v-${each}`, "1G");
    for (let each = 0; each < COUNT; each++) await untilVolume(`v-${each}`, "Available");
    const touch = async (): Promise<void> => {
      const body = { metadata: { annotations: { touched: "again" } } };
      const patch = { type: "merge", body } as const;
      for (let each = 0; each < COUNT; each++) {
        await volumes().patch({ name: full(`v-${each}`) }, patch);
        const ref = { namespace: space.namespace, name: `c-${each}` };
        try {
          await cluster.client.clientFor(persistentVolumeClaims).patch(ref, patch);
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
      }
    };
    const claiming = async (): Promise<void> => {
      for (let each = 0; each < COUNT; each++) await createClaim(`c-${each}`, "1G");
    };
    await Promise.all([claiming(), touch()]);
    for (let each = 0; each < COUNT; each++) await untilClaim(`c-${each}`);
    for (let each = 0; each < COUNT; each++) await untilVolume(`v-${each}`, "Bound");
    const bound = await boundVolumes();
    expect(Object.keys(bound)).toHaveLength(COUNT);
    expect(new Set(Object.values(bound)).size).toBe(COUNT);
  });

  test("PersistentVolumeProvisionMultiPVCs: each claim gets a volume of its own, which goes with it", async () => {
    await cluster.client.clientFor<StorageClass>(storageClasses).create({
      metadata: { name: space.namespace },
      provisioner: "kubernetes.io/host-path",
    });
    for (let each = 0; each < COUNT; each++) await createClaim(`c-${each}`, "1G");
    const names: string[] = [];
    for (let each = 0; each < COUNT; each++) {
      const { metadata, spec } = await untilClaim(`c-${each}`);
      expect(spec?.volumeName).toBe(`pvc-${metadata.uid}`);
      names.push(spec?.volumeName ?? "");
    }
    for (let each = 0; each < COUNT; each++) await deleteClaim(`c-${each}`);
    await space.until(
      "their volumes are gone",
      async () => (await volumes().list()).items.filter(({ metadata }) => names.includes(metadata.name)),
      (left) => left.length === 0,
    );
    await cluster.client.clientFor(storageClasses).delete({ name: space.namespace });
  });

  test("PersistentVolumeMultiPVsDiffAccessModes: a claim gets the volume of its modes", async () => {
    await createVolume("rwm", "10G", { accessModes: ["ReadWriteMany"] });
    await createVolume("rwo", "10G", { accessModes: ["ReadWriteOnce"] });
    for (const name of ["rwm", "rwo"]) await untilVolume(name, "Available");
    await createClaim("c", "5G", { accessModes: ["ReadWriteMany"] });
    await untilClaim("c");
    expect(await boundVolumes()).toEqual({ rwm: "c" });
    await deleteClaim("c");
    await untilVolume("rwm", "Released");
  });

  test("RetroactiveStorageClassAssignment: a claim without class takes the default that comes later", async () => {
    const { namespace: _, ...noClass } = { namespace: "", accessModes: ["ReadWriteMany"] };
    const classes = cluster.client.clientFor<StorageClass>(storageClasses);
    // The development cluster has one from the start.
    for (const { metadata } of (await classes.list()).items) await classes.delete({ name: metadata.name });
    const create = async (name: string): Promise<void> => {
      await space.create<PersistentVolumeClaim>(persistentVolumeClaims, {
        metadata: { name },
        spec: { ...noClass, resources: { requests: { storage: "5G" } } },
      });
    };
    await createVolume("v1", "5G", { ...noClass, storageClassName: "" });
    await create("c1");
    expect((await untilClaim("c1")).spec?.storageClassName).toBeUndefined();
    await create("late");
    await classes.create({
      metadata: {
        name: space.namespace,
        annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
      },
      provisioner: "kubernetes.io/host-path",
    });
    expect((await untilClaim("late")).spec?.storageClassName).toBe(space.namespace);
    await createVolume("v2", "5G", { ...noClass, storageClassName: "" });
    await untilVolume("v2", "Available");
    await createClaim("empty", "5G", { ...noClass, storageClassName: "" });
    expect((await untilClaim("empty")).spec?.volumeName).toBe(full("v2"));
    await classes.delete({ name: space.namespace });
  });
});

// upstream: test/integration/volume/persistent_volumes_test.go#TestPersistentVolumeControllerStartup
describe.each(accountClusterKinds)("a controller that starts on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  beforeAll(async () => {
    cluster = await start(() => []);
  });
  afterAll(async () => cluster?.stop());

  test("PersistentVolumeControllerStartup: leaves what is bound as it is", async () => {
    const space = await cluster.space();
    const volumes = cluster.client.clientFor<PersistentVolume>(persistentVolumes);
    const claims = cluster.client.clientFor<PersistentVolumeClaim>(persistentVolumeClaims);
    const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    for (let each = 0; each < COUNT; each++) {
      const name = `${space.namespace}-${each}`;
      const claim = await space.create<PersistentVolumeClaim>(persistentVolumeClaims, {
        metadata: { name, annotations: { "pv.kubernetes.io/bind-completed": "" } },
        spec: { ...spec, volumeName: name, resources: { requests: { storage: "1G" } } },
      });
      const capacity = { storage: "1G" };
      const status = { phase: "Bound", accessModes: spec.accessModes, capacity };
      await claims.updateStatus({ ...claim, status });
      const { uid = "" } = claim.metadata;
      const claimRef = { kind: "PersistentVolumeClaim", namespace: space.namespace, name, uid };
      const volume = await volumes.create({
        metadata: { name },
        spec: {
          ...spec,
          capacity,
          hostPath: { path: "/tmp/x" },
          claimRef,
          persistentVolumeReclaimPolicy: "Retain",
        },
      });
      await volumes.updateStatus({ ...volume, status: { phase: "Bound" } });
    }
    const versions = async (): Promise<readonly string[]> => {
      const all = [...(await volumes.list()).items, ...(await claims.list()).items];
      return all.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
    };
    const before = await versions();
    cluster.run([volumeBinder({ retryPeriodMs: 100 })]);
    await space.never("anything is written", 1_500, async () => {
      const now = await versions();
      return now.some((each, at) => each !== before[at]);
    });
  });
});
