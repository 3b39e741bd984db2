import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  SELinuxOptions,
  Volume,
} from "../../pkg/api/types/core-v1.gen.ts";
import type { CSIDriver } from "../../pkg/api/types/storage-v1.gen.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { selinuxWarningController } from "./controller.ts";

const DRIVER = "ebs.csi.aws.com";
const ebs: Partial<PersistentVolumeSpec> = { awsElasticBlockStore: { volumeID: "vol-1" } };
const ONLY_ONE = "If both pods land on the same node, only one of them may access the volume.";

let world: ControllerWorld;
let metrics: ReturnType<typeof createMetrics>;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics: metrics.main });
});
afterEach(async () => world.stop());

async function driver(seLinuxMount: boolean, name = DRIVER): Promise<void> {
  await world.create<CSIDriver>(resources.csiDrivers, { metadata: { name }, spec: { seLinuxMount } });
}

const accessModes = ["ReadWriteMany"];
const storage = { storage: "1Gi" };

async function createClaim(
  name = "data",
  volumeName?: string,
  phase = "Bound",
): Promise<PersistentVolumeClaim> {
  return world.createWithStatus<PersistentVolumeClaim>(resources.persistentVolumeClaims, {
    metadata: { name },
    spec: { accessModes, resources: { requests: storage }, ...(volumeName !== undefined && { volumeName }) },
    status: { phase },
  });
}

async function createVolume(
  name: string,
  claim: PersistentVolumeClaim,
  source: Partial<PersistentVolumeSpec> = ebs,
): Promise<void> {
  const { uid = "" } = claim.metadata;
  const claimRef = { namespace: "default", name: claim.metadata.name ?? "", uid };
  await world.create<PersistentVolume>(resources.persistentVolumes, {
    metadata: { name },
    spec: { accessModes, capacity: storage, claimRef, ...source },
  });
}

async function bind(source: Partial<PersistentVolumeSpec> = ebs, claim = "data"): Promise<void> {
  await createVolume(`of-${claim}`, await createClaim(claim, `of-${claim}`), source);
}

interface PodFacts {
  readonly level?: string;
  readonly policy?: string;
  readonly phase?: string;
  readonly claim?: string;
  readonly volumes?: readonly Volume[];
  /** Of a second container that mounts the same; its options are its own. */
  readonly second?: SELinuxOptions;
}

async function createPod(name: string, facts: PodFacts = {}): Promise<Pod> {
  const { level = "s0:c1,c2", policy, phase = "Running", claim = "data", second } = facts;
  const { volumes = [{ name: "vol", persistentVolumeClaim: { claimName: claim } }] } = facts;
  const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/mnt/${volume.name}` }));
  const other = { name: "c2", image: "i", volumeMounts, securityContext: { seLinuxOptions: second ?? {} } };
  return world.createWithStatus<Pod>(resources.pods, {
    metadata: { name },
    spec: {
      containers: [{ name: "c", image: "i", volumeMounts }, ...(second === undefined ? [] : [other])],
      volumes,
      securityContext: {
        ...(level !== "" && { seLinuxOptions: { level } }),
        ...(policy !== undefined && { seLinuxChangePolicy: policy }),
      },
    },
    status: { phase },
  });
}

async function events(): Promise<readonly string[]> {
  await world.run();
  const found = await world.list(resources.events);
  const lines = found.map(
    ({ type, reason, message, involvedObject }) => `${involvedObject.name}: ${type} ${reason} ${message}`,
  );
  return lines.toSorted();
}

/** The conflicts that metrics show, as "property pod1=value pod2=value". */
async function shown(): Promise<readonly string[]> {
  const lines = (await metrics.main.expose()).split("\n");
  return lines
    .filter((line) => line.startsWith("selinux_warning_controller_selinux_volume_conflict{"))
    .map((line) => {
      const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(line)?.[1] ?? "?";
      expect([line.endsWith("} 1"), label("pod1_namespace"), label("pod2_namespace")]).toEqual([
        true,
        "default",
        "default",
      ]);
      const pods = ["pod1", "pod2"].map((pod) => `${label(`${pod}_name`)}=${label(`${pod}_value`)}`);
      return `${label("property")} ${pods.join(" ")}`;
    })
    .toSorted();
}

const labelConflict = (pod: string, level: string, other: string, otherLevel: string): string =>
  `${pod}: Normal SELinuxLabelConflict SELinuxLabel ":::${level}" conflicts with pod ${other} that uses the same volume as this pod with SELinuxLabel ":::${otherLevel}". ${ONLY_ONE}`;
const policyConflict = (pod: string, policy: string, other: string, otherPolicy: string): string =>
  `${pod}: Normal SELinuxChangePolicyConflict SELinuxChangePolicy "${policy}" conflicts with pod ${other} that uses the same volume as this pod with SELinuxChangePolicy "${otherPolicy}". ${ONLY_ONE}`;

const ONE = "s0:c1,c2";
const OTHER = "s0:c98,c99";
const LABELS = [labelConflict("a", ONE, "b", OTHER), labelConflict("b", OTHER, "a", ONE)];
const SHOWN_LABELS = [`SELinuxLabel a=:::${ONE} b=:::${OTHER}`, `SELinuxLabel b=:::${OTHER} a=:::${ONE}`];
const NO_LABEL = 'SELinuxLabel ""';
const POLICIES = [
  policyConflict("a", "Recursive", "b", "MountOption"),
  `a: Normal SELinuxLabelConflict ${NO_LABEL} conflicts with pod b that uses the same volume as this pod with SELinuxLabel ":::${OTHER}". ${ONLY_ONE}`,
  policyConflict("b", "MountOption", "a", "Recursive"),
  `b: Normal SELinuxLabelConflict SELinuxLabel ":::${OTHER}" conflicts with pod a that uses the same volume as this pod with ${NO_LABEL}. ${ONLY_ONE}`,
];

// upstream: pkg/controller/volume/selinuxwarning/selinux_warning_controller_test.go#TestSELinuxWarningController_Sync
describe("pods that share a volume", () => {
  interface Case {
    readonly one?: PodFacts;
    readonly other: PodFacts;
    readonly mounts?: boolean;
    readonly expected: readonly string[];
  }
  test.each<[string, Case]>([
    ["with the same label are told nothing", { other: {}, expected: [] }],
    ["with different labels are told", { other: { level: OTHER }, expected: LABELS }],
    [
      "recursively have no labels",
      { one: { policy: "Recursive" }, other: { level: OTHER, policy: "Recursive" }, expected: [] },
    ],
    [
      "with different policies are told of these, too",
      {
        one: { policy: "Recursive" },
        other: { level: OTHER },
        expected: POLICIES,
      },
    ],
    [
      "of which one has no label: that is as if it were recursive",
      { one: { level: "" }, other: { level: OTHER }, expected: POLICIES },
    ],
    [
      "are told though one has yet to run",
      { one: { phase: "Pending" }, other: { level: OTHER }, expected: LABELS },
    ],
    [
      "are told though nobody knows whether one runs",
      { one: { phase: "Unknown" }, other: { level: OTHER }, expected: LABELS },
    ],
    [
      "are told nothing of one that has succeeded",
      { one: { phase: "Succeeded" }, other: { level: OTHER }, expected: [] },
    ],
    [
      "are told nothing of one that has failed",
      { one: { phase: "Failed" }, other: { level: OTHER }, expected: [] },
    ],
    [
      "of a driver that does not mount with labels are told nothing",
      { other: { level: OTHER }, mounts: false, expected: [] },
    ],
  ])("%s", async (_, { one, other, expected, mounts = true }) => {
    await driver(mounts);
    await bind();
    await createPod("a", one);
    await createPod("b", other);
    await world.start(selinuxWarningController());
    expect(await events()).toEqual(expected);
    const [first] = await world.list(resources.events);
    if (first !== undefined) expect(first.source?.component).toBe("selinux_warning");
    await world.run(600_000);
    expect(await shown()).toHaveLength(expected.length);
    expect(world.takeWrites().filter(({ resource }) => resource !== "events")).toEqual([]);
  });

  test("stand in metrics for as long as there are both", async () => {
    await driver(true);
    await bind();
    await createPod("a");
    const { metadata } = await createPod("b", { level: OTHER });
    await world.start(selinuxWarningController());
    expect(await shown()).toEqual(SHOWN_LABELS);
    await createPod("c", { level: OTHER });
    await world.run();
    expect(await shown()).toHaveLength(4);
    await world.delete(resources.pods, "c");
    await world.run();
    expect(await shown()).toEqual(SHOWN_LABELS);
    const pods = world.client.clientFor<Pod>(resources.pods);
    const ended = await pods.get({ namespace: "default", name: metadata.name ?? "" });
    await pods.updateStatus({ ...ended, status: { phase: "Succeeded" } });
    await world.run();
    expect(await shown()).toEqual([]);
  });

  test("and another one stand in metrics once", async () => {
    await driver(true);
    await bind();
    await bind(csi(DRIVER, "other"), "other");
    const both = ["data", "other"].map((claimName) => ({
      name: claimName,
      persistentVolumeClaim: { claimName },
    }));
    await createPod("a", { volumes: both });
    await createPod("b", { volumes: both, level: OTHER });
    await world.start(selinuxWarningController());
    expect(await shown()).toEqual(SHOWN_LABELS);
  });

  test("without volumes, or with their own, are told nothing", async () => {
    await driver(true);
    const own = { name: "tmp", emptyDir: {} };
    await createPod("a", { volumes: [own] });
    await createPod("b", { volumes: [own], level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual([]);
  });

  test.each<[string, Volume]>([
    [
      "of a plugin that is a driver now",
      { name: "vol", awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } },
    ],
    [
      "of the network",
      { name: "vol", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2026-11.com.example:disk", lun: 0 } },
    ],
    ["of fibres", { name: "vol", fc: { targetWWNs: ["w"], lun: 1 } }],
    ["of fibres by their own names", { name: "vol", fc: { wwids: ["w"] } }],
  ])("that stands in the pods themselves are told: %s", async (_, volume) => {
    await driver(true);
    await createPod("a", { volumes: [volume] });
    await createPod("b", { volumes: [volume], level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual(LABELS);
  });

  test("are told of a disk that one has in itself, and the other by its claim", async () => {
    await driver(true);
    await bind();
    const volume = { name: "vol", awsElasticBlockStore: { volumeID: "aws://zone/vol-1" } };
    await createPod("a", { volumes: [volume] });
    await createPod("b", { level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual(LABELS);
  });

  test.each<[string, Partial<PersistentVolumeSpec>, Partial<PersistentVolumeSpec>, number]>([
    ["of a driver", csi("x", "1"), csi("x", "1"), 2],
    ["of another name", csi("x", "1"), csi("x", "2"), 0],
    ["of another driver", csi("x", "1"), csi("y", "1"), 0],
    ["of files of Azure", azure("share"), azure("share"), 2],
    ["of other files of Azure", azure("share"), azure("other"), 0],
    [
      "of NFS, which knows no labels",
      { nfs: { server: "s", path: "/" } },
      { nfs: { server: "s", path: "/" } },
      0,
    ],
  ])("that two claims have are told when it is the same one: %s", async (_, one, other, count) => {
    for (const name of ["x", "y", "file.csi.azure.com"]) await driver(true, name);
    await bind(one, "one");
    await bind(other, "other");
    await createPod("a", { claim: "one" });
    await createPod("b", { claim: "other", level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toHaveLength(count);
  });
});

function csi(name: string, volumeHandle: string): Partial<PersistentVolumeSpec> {
  return { csi: { driver: name, volumeHandle } };
}

function azure(shareName: string): Partial<PersistentVolumeSpec> {
  return { azureFile: { secretName: "s", shareName, secretNamespace: "default" } };
}

describe("a pod is looked at", () => {
  const claims = () => world.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);

  test("when its claim is bound, and not before", async () => {
    await driver(true);
    await createPod("a");
    await createPod("b", { level: OTHER });
    const set = await world.start(selinuxWarningController());
    const claim = await createClaim("data", "vol", "Pending");
    await createVolume("vol", claim);
    expect(await events()).toEqual([]);
    const page = set.debug("selinux-warning-controller", "/", new URLSearchParams())?.body;
    expect(page).not.toContain("failed");
    const now = await claims().get({ namespace: "default", name: "data" });
    await claims().updateStatus({ ...now, status: { phase: "Bound" } });
    expect(await events()).toEqual(LABELS);
  });

  test("when the volume of its claim is known", async () => {
    await driver(true);
    await createPod("a");
    await createPod("b", { level: OTHER });
    const claim = await createClaim("data", "vol");
    await world.start(selinuxWarningController());
    expect(await events()).toEqual([]);
    await createVolume("vol", claim);
    expect(await events()).toEqual(LABELS);
  });

  test("when the volume of its claim is the claim's, and not another's", async () => {
    await driver(true);
    await createPod("a");
    await createPod("b", { level: OTHER });
    const claim = await createClaim("data", "vol");
    await createVolume("vol", { ...claim, metadata: { ...claim.metadata, uid: "another" } });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual([]);
    const body = { spec: { claimRef: { uid: claim.metadata.uid } } };
    await world.client.clientFor(resources.persistentVolumes).patch({ name: "vol" }, { type: "merge", body });
    expect(await events()).toEqual(LABELS);
  });

  test("when its driver begins to mount with labels, and is told of what there is then only", async () => {
    await driver(false);
    await bind();
    await createPod("a");
    await createPod("b");
    await createPod("c", { level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual([]);
    const drivers = world.client.clientFor(resources.csiDrivers);
    await drivers.patch({ name: DRIVER }, { type: "merge", body: { spec: { seLinuxMount: true } } });
    expect(await events()).toEqual([
      labelConflict("a", ONE, "c", OTHER),
      labelConflict("b", ONE, "c", OTHER),
      labelConflict("c", OTHER, "a", ONE),
      labelConflict("c", OTHER, "b", ONE),
    ]);
    expect(await shown()).toHaveLength(4);
    await drivers.delete({ name: DRIVER });
    await world.run();
    expect(await shown()).toEqual([]);
  });

  test("when its driver comes", async () => {
    await bind();
    await createPod("a");
    await createPod("b", { level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual([]);
    await driver(true);
    expect(await events()).toEqual(LABELS);
  });

  test("as the one that it is, whatever one before it used under its name", async () => {
    await driver(true);
    await bind();
    await bind(csi("x", "1"), "other");
    await createPod("a");
    await createPod("b");
    await world.start(selinuxWarningController());
    const release = world.hideEvents("pods");
    await world.delete(resources.pods, "b");
    await createPod("b", { claim: "other", level: OTHER });
    release();
    await createPod("c", { level: OTHER });
    expect(await events()).toEqual([
      labelConflict("a", ONE, "c", OTHER),
      labelConflict("c", OTHER, "a", ONE),
    ]);
  });
});

describe("the containers of a pod", () => {
  test("that mount a volume with different labels are told of once, whatever the volume", async () => {
    await createPod("a", { volumes: [{ name: "tmp", emptyDir: {} }], second: { level: OTHER } });
    await world.start(selinuxWarningController());
    await world.run(600_000);
    expect(await events()).toEqual([
      'a: Warning MultipleSELinuxLabels Volume "tmp" is mounted twice with different SELinux labels inside this pod',
    ]);
    const [event] = await world.list(resources.events);
    expect(event?.count).toBe(1);
  });

  test("have the label of the pod where they say nothing", async () => {
    await driver(true);
    await bind();
    await createPod("a", { second: { level: ONE } });
    await createPod("b", { level: OTHER });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual(LABELS);
  });

  test("that do not mount a volume have nothing to do with it", async () => {
    await driver(true);
    await bind();
    await createPod("a");
    await world.create<Pod>(resources.pods, {
      metadata: { name: "b" },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "vol", persistentVolumeClaim: { claimName: "data" } }],
        securityContext: { seLinuxOptions: { level: OTHER } },
      },
    });
    await world.start(selinuxWarningController());
    expect(await events()).toEqual([]);
  });
});

test("it runs under the name and behind the gate that upstream has for it", () => {
  const { clientName, eventSource, featureGates } = selinuxWarningController();
  expect([clientName, eventSource, featureGates]).toEqual([
    "selinux-warning-controller",
    "selinux_warning",
    ["SELinuxChangePolicy"],
  ]);
});
