import { describe, expect, test } from "vitest";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { type Failing, type Given, type Outcome, syncOnce } from "./one-sync.test-data.ts";
import { claimOf, essenceOf, volumeOf } from "./sketches.test-data.ts";

const classOf = (name: string, provisioner: string, more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  ...more,
});
const WAITS = { volumeBindingMode: "WaitForFirstConsumer" } as const;
const HOST_PATH = "kubernetes.io/host-path";
const classes = [
  classOf("gold", HOST_PATH),
  classOf("kept", HOST_PATH, { reclaimPolicy: "Retain" }),
  classOf("copper", HOST_PATH, WAITS),
  classOf("mounted", HOST_PATH, { mountOptions: ["foo", "bar"] }),
  classOf("external", "vendor.com/my-volume"),
  classOf("external-wait", "vendor.com/my-volume-wait", WAITS),
  classOf("unknown", "kubernetes.io/unknown"),
  classOf("nfs", "kubernetes.io/nfs"),
  classOf("gce", "kubernetes.io/gce-pd"),
];

async function provision(claim: string, more: Given = {}): Promise<Outcome> {
  return syncOnce("claim", { classes, claims: [claimOf(claim)], ...more });
}

const asked = `asks=${HOST_PATH} asksBeta=${HOST_PATH}`;
const failures = (count: number): readonly Failing[] =>
  Array.from({ length: count }, () => ({ method: "POST", path: "/persistentvolumes" }));

// upstream: pkg/controller/volume/persistentvolume/provision_test.go#TestProvisionSync
describe("a directory", () => {
  test.each([
    ["gold", "Delete", ["kubernetes.io/pv-controller"]],
    ["kept", "Retain", undefined],
  ])("is made for a claim of class %s, whose policy is %s", async (name, policy, finalizers) => {
    const { volumes, claims, events, woken } = await provision(`c 1Gi Pending class=${name}`, {
      makes: [""],
    });
    expect(claims.map(essenceOf)).toEqual([essenceOf(claimOf(`c 1Gi Pending class=${name} ${asked}`))]);
    const path = expect.stringMatching(/^\/tmp\/hostpath_pv\/[0-9a-f-]{36}$/) as string;
    const [volume]: readonly PersistentVolume[] = volumes;
    expect(volume?.metadata).toMatchObject({
      name: "pvc-uid-c",
      annotations: {
        "kubernetes.io/createdby": "hostpath-dynamic-provisioner",
        "pv.kubernetes.io/bound-by-controller": "yes",
        "pv.kubernetes.io/provisioned-by": HOST_PATH,
      },
    });
    expect(volume?.metadata.finalizers).toEqual(finalizers);
    expect(volume?.spec).toEqual({
      persistentVolumeReclaimPolicy: policy,
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      capacity: { storage: "1Gi" },
      hostPath: { path },
      storageClassName: name,
      claimRef: {
        kind: "PersistentVolumeClaim",
        apiVersion: "v1",
        namespace: "default",
        name: "c",
        uid: "uid-c",
        resourceVersion: "10",
      },
    });
    expect(events).toEqual([
      `Normal ProvisioningSucceeded Successfully provisioned volume pvc-uid-c using ${HOST_PATH}`,
    ]);
    expect(woken).toEqual([]);
  });

  test.each<[string, string, string, Given]>([
    [
      "where provisioning is switched off",
      "class=gold",
      `Failed to create provisioner: provisioning in volume plugin "${HOST_PATH}" is disabled`,
      { settings: { provisionsHostPaths: false } },
    ],
    [
      "that cannot be made",
      "class=gold",
      'Failed to provision volume with StorageClass "gold": Mock provisioner error',
      { makes: ["Mock provisioner error"] },
    ],
    [
      "with mount options",
      "class=mounted",
      'Mount options are not supported by the provisioner but StorageClass "mounted" has mount options [foo bar]',
      {},
    ],
    [
      "as a device",
      "class=gold mode=Block",
      `Failed to provision volume with StorageClass "gold": ${HOST_PATH} does not support block volume provisioning`,
      {},
    ],
    [
      "on a node that is not there",
      "class=copper node=n1",
      'Failed to get target node: node "n1" not found',
      {},
    ],
  ])("is not made %s, and that is tried again", async (_, claim, message, more) => {
    const { volumes, claims, events, woken } = await provision(`c 1Gi Pending ${claim}`, more);
    expect([volumes, events]).toEqual([[], [`Warning ProvisioningFailed ${message}`]]);
    expect(claims.map(essenceOf)).toEqual([essenceOf(claimOf(`c 1Gi Pending ${claim} ${asked}`))]);
    expect(woken).toEqual(["claim default/c after 500"]);
  });

  test("is not made from a snapshot, and the claim is not touched", async () => {
    const { volumes, claims, events, error } = await provision("c 1Gi Pending class=gold source");
    const message = `plugin "${HOST_PATH}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`;
    expect([volumes, events, error]).toEqual([
      [],
      [`Warning ProvisioningFailed ${message}`],
      new Error(message),
    ]);
    expect(claims.map(essenceOf)).toEqual([essenceOf(claimOf("c 1Gi Pending class=gold source"))]);
  });

  test("is not made where there is a volume for the claim", async () => {
    const { claims, events } = await provision("c 1Gi Pending class=gold", {
      volumes: [volumeOf("v 1Gi Available class=gold")],
    });
    expect(claims.map(essenceOf)).toEqual([essenceOf(claimOf("c 1Gi Bound vol=v class=gold ours done"))]);
    expect(events).toEqual([]);
  });

  test("is not made where somebody has made the volume meanwhile", async () => {
    const unseen = [volumeOf("pvc-uid-c 1Gi Bound for=c:uid-c class=gold policy=Delete ours")];
    const { volumes, events } = await provision("c 1Gi Pending class=gold", { unseen });
    expect([volumes, events]).toEqual([unseen, []]);
  });

  test("is kept when its volume can be saved only later", async () => {
    const { volumes, events, requests } = await provision("c 1Gi Pending class=gold", {
      makes: [""],
      failing: failures(4),
    });
    expect(volumes).toHaveLength(1);
    expect(events).toEqual([expect.stringMatching(/^Normal ProvisioningSucceeded /)]);
    expect(requests.filter((line) => line.startsWith("POST"))).toHaveLength(5);
  });

  test("is kept when the answer to its volume was lost", async () => {
    const { events } = await provision("c 1Gi Pending class=gold", {
      makes: [""],
      failing: [
        ...failures(1),
        { method: "POST", path: "/persistentvolumes", status: 409, reason: "AlreadyExists" },
      ],
    });
    expect(events).toEqual([expect.stringMatching(/^Normal ProvisioningSucceeded /)]);
  });

  const deleting =
    "Warning ProvisioningFailed Error creating provisioned PV object for claim default/c: Mock InternalError. Deleting the volume.";
  const orphaned =
    "Warning ProvisioningCleanupFailed Error cleaning provisioned volume for claim default/c: Mock deletion error. Please delete manually.";
  test.each([
    ["is removed", [""], [deleting]],
    ["is removed by the second try", ["Mock deletion error", ""], [deleting]],
    ["stays, which is told,", Array.from({ length: 5 }, () => "Mock deletion error"), [deleting, orphaned]],
  ])("%s when its volume cannot be saved", async (_, removes, expected) => {
    const { volumes, events } = await provision("c 1Gi Pending class=gold", {
      makes: [""],
      removes,
      failing: failures(5),
    });
    expect([volumes, events]).toEqual([[], expected]);
  });

  test("is made for the node that the scheduler has chosen, and no other volume is taken", async () => {
    const { volumes, events } = await provision("c 1Gi Pending class=copper node=n1", {
      volumes: [volumeOf("v 1Gi Available class=copper")],
      nodes: [{ metadata: { name: "n1" } }],
      makes: [""],
    });
    expect(volumes.map(({ metadata }) => metadata.name)).toEqual(["v", "pvc-uid-c"]);
    expect(events).toEqual([expect.stringMatching(/^Normal ProvisioningSucceeded /)]);
  });

  test("that cannot be made has the scheduler choose again", async () => {
    const { claims } = await provision("c 1Gi Pending class=copper node=n1", {
      nodes: [{ metadata: { name: "n1" } }],
      makes: ["no room"],
    });
    expect(claims.map(essenceOf)).toEqual([essenceOf(claimOf(`c 1Gi Pending class=copper ${asked}`))]);
  });

  // upstream: pv_controller.go#rescheduleProvisioning
  test("that cannot be made is told of, and tried again, where the scheduler cannot be told", async () => {
    const before = `c 1Gi Pending class=copper node=n1 ${asked}`;
    const { claims, events, requests, woken } = await provision(before, {
      nodes: [{ metadata: { name: "n1" } }],
      makes: ["no room"],
      failing: [{ method: "PUT", path: "/persistentvolumeclaims/c" }],
    });
    expect(requests.filter((line) => line.startsWith("PUT"))).toHaveLength(1);
    expect(claims.map(essenceOf)).toEqual([essenceOf(claimOf(before))]);
    const message = 'Failed to provision volume with StorageClass "copper": no room';
    expect([events, woken]).toEqual([
      [`Warning ProvisioningFailed ${message}`],
      ["claim default/c after 500"],
    ]);
  });
});

describe("a claim", () => {
  const waiting = (driver: string): string =>
    `Normal ExternalProvisioning Waiting for a volume to be created either by the external provisioner '${driver}' ` +
    "or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is " +
    "running and correctly registered.";
  test.each([
    ["class=external", "vendor.com/my-volume", ""],
    ["class=external-wait node=n1", "vendor.com/my-volume-wait", ""],
    ["class=external source", "vendor.com/my-volume", ""],
    ["class=gce", "pd.csi.storage.gke.io", ""],
  ])("with %s is handed to %s", async (claim, driver) => {
    const { claims, volumes, events, error } = await provision(`c 1Gi Pending ${claim}`);
    const then = claimOf(`c 1Gi Pending ${claim} asks=${driver} asksBeta=${driver}`);
    expect(claims.map(essenceOf)).toEqual([essenceOf(then)]);
    expect([volumes, events, error]).toEqual([[], [waiting(driver)], undefined]);
  });

  test("that was handed over is not written again", async () => {
    const { events, requests } = await provision("c 1Gi Pending class=external asks=vendor.com/my-volume");
    expect([events, requests]).toEqual([[waiting("vendor.com/my-volume")], []]);
  });

  test("that cannot be handed over says so", async () => {
    const { events, error } = await provision("c 1Gi Pending class=external", {
      failing: [{ method: "PUT", path: "/persistentvolumeclaims/c" }],
    });
    expect(events).toEqual(["Warning ProvisioningFailed Error saving claim: Mock InternalError"]);
    expect(error).toMatchObject({ code: 500 });
  });

  test("that somebody else has written meanwhile says nothing, and is looked at again", async () => {
    const { events, result } = await provision("c 1Gi Pending class=external", {
      failing: [{ method: "PUT", path: "/persistentvolumeclaims/c", status: 409, reason: "Conflict" }],
    });
    expect([events, result]).toEqual([[], { backOff: true }]);
  });

  test.each([
    ["gone", 'storageclass.storage.k8s.io "gone" not found'],
    ["unknown", "no volume plugin matched name: kubernetes.io/unknown"],
    ["nfs", "no provisionable volume plugin matched"],
  ])("of class %s is handed to nobody, and says why", async (name, message) => {
    const { claims, events, requests, error } = await provision(`c 1Gi Pending class=${name}`);
    expect(claims).toEqual([claimOf(`c 1Gi Pending class=${name}`)]);
    expect([events, requests, error]).toEqual([[`Warning ProvisioningFailed ${message}`], [], undefined]);
  });

  // upstream: provision_test.go#TestDisablingDynamicProvisioner
  test("is handed to nobody where provisioning is switched off, and says nothing", async () => {
    const { events, requests, error } = await provision("c 1Gi Pending class=external", {
      settings: { provisions: false },
    });
    expect([events, requests, error]).toEqual([[], [], undefined]);
  });
});
