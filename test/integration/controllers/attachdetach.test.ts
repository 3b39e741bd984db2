import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { attachDetachController } from "../../../controllers/attachdetach/controller.ts";
import { MANAGED_ANNOTATION } from "../../../controllers/attachdetach/fields.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  Node,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ServiceAccount,
  Volume,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../../pkg/api/types/storage-v1.gen.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";

const DRIVER = "csi.example.com";
const FINALIZER = "external-attacher/csi-example-com";

// upstream: test/integration/volume/attach_detach_test.go
describe.each(accountClusterKinds)("attach-detach on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  let node: string;
  beforeAll(async () => {
    cluster = await start(() => [serviceAccountController()]);
    cluster.run([attachDetachController({ isCompared: true, disableForceDetachOnTimeout: false })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
    node = `node-of-${space.namespace}`;
    await space.until(
      "pods may be made",
      async () => space.find<ServiceAccount>(resources.serviceAccounts, "default"),
      (found) => found !== undefined,
    );
    await nodes().create({ metadata: { name: node, annotations: { [MANAGED_ANNOTATION]: "true" } } });
  });
  afterAll(async () => cluster?.stop());

  const nodes = () => cluster.client.clientFor<Node>(resources.nodes);
  const attachments = () => cluster.client.clientFor<VolumeAttachment>(resources.volumeAttachments);

  async function setNode(status: NodeStatus): Promise<void> {
    await nodes().patch({ name: node }, { type: "strategic", body: { status } }, { subresource: "status" });
  }

  async function addClaim(name: string): Promise<void> {
    const spec = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "",
      resources: { requests: { storage: "1Gi" } },
    };
    await space.create<PersistentVolumeClaim>(resources.persistentVolumeClaims, { metadata: { name }, spec });
  }

  const volumeOf = (claim: string): string => `${space.namespace}-${claim}`;

  /** As the binder does. */
  async function bind(claim: string): Promise<void> {
    const name = volumeOf(claim);
    const { metadata } = await space.get<PersistentVolumeClaim>(resources.persistentVolumeClaims, claim);
    const { uid = "" } = metadata;
    await cluster.client.clientFor<PersistentVolume>(resources.persistentVolumes).create({
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        claimRef: { kind: "PersistentVolumeClaim", namespace: space.namespace, name: claim, uid },
        csi: { driver: DRIVER, volumeHandle: name },
      },
    });
    const body = { spec: { volumeName: name } };
    await space.patch<PersistentVolumeClaim>(resources.persistentVolumeClaims, claim, body);
    const ref = { namespace: space.namespace, name: claim };
    await cluster.client
      .clientFor(resources.persistentVolumeClaims)
      .patch(ref, { type: "merge", body: { status: { phase: "Bound" } } }, { subresource: "status" });
  }

  async function addPod(name: string, claim: string, nodeName = node): Promise<void> {
    const volumes: readonly Volume[] = [{ name: "data", persistentVolumeClaim: { claimName: claim } }];
    const spec = {
      ...(nodeName !== "" && { nodeName }),
      volumes,
      containers: [{ name: "main", image: "main" }],
    };
    await space.create<Pod>(resources.pods, { metadata: { name }, spec });
  }

  /** What there is of this node. The driver attaches what is to be attached, and lets go of what is deleted. */
  async function ofNode(): Promise<readonly VolumeAttachment[]> {
    const { items } = await attachments().list();
    const own = items.filter(({ spec }) => spec.nodeName === node);
    for (const object of own) {
      const { name, deletionTimestamp, finalizers = [] } = object.metadata;
      const isHeld = finalizers.includes(FINALIZER);
      const merge = (body: object) => ({ type: "merge", body }) as const;
      if (deletionTimestamp !== undefined)
        await attachments().patch({ name }, merge({ metadata: { finalizers: null } }));
      else if (!isHeld) await attachments().patch({ name }, merge({ metadata: { finalizers: [FINALIZER] } }));
      else if (object.status?.attached !== true)
        await attachments().patch({ name }, merge({ status: { attached: true } }), { subresource: "status" });
    }
    return own;
  }

  async function untilAttached(...claims: readonly string[]): Promise<void> {
    const expected = claims.map(volumeOf).toSorted();
    await space.until(
      `${claims.join(", ")} are attached`,
      async () => {
        const own = (await ofNode()).filter(({ status }) => status?.attached === true);
        const names = own.map(({ spec }) => spec.source.persistentVolumeName ?? "");
        const { status } = await nodes().get({ name: node });
        const reported = (status?.volumesAttached ?? []).map(({ name }) => name.split("^")[1] ?? "");
        return [names.toSorted().join(" "), reported.toSorted().join(" ")];
      },
      ([there, reported]) => there === expected.join(" ") && reported === expected.join(" "),
    );
  }

  async function attach(pod: string): Promise<void> {
    await addClaim("claim");
    await bind("claim");
    await addPod(pod, "claim");
    await untilAttached("claim");
  }

  const inUse = (...claims: readonly string[]): NodeStatus => ({
    volumesInUse: claims.map((claim) => `kubernetes.io/csi/${DRIVER}^${volumeOf(claim)}`),
  });

  test("PodTerminationWithNodeOOSDetach: a node out of service loses what its pods use", async () => {
    await attach("pod");
    await setNode({ ...inUse("claim"), conditions: [{ type: "Ready", status: "False" }] });
    await space.delete(resources.pods, "pod", 300);
    await space.never("it is detached", 1_000, async () => (await ofNode()).length === 0);
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    await nodes().patch({ name: node }, { type: "merge", body: { spec: { taints } } });
    // That the pod goes, too, is podgc.test.ts's case.
    await untilAttached();
  });

  test("PodDeletionWithDswp: what a pod had is detached when it is gone and its node lets go", async () => {
    await attach("pod");
    await setNode(inUse("claim"));
    await space.delete(resources.pods, "pod", 0);
    await space.never("it is detached", 1_000, async () => (await ofNode()).length === 0);
    await setNode({ volumesInUse: [] });
    await untilAttached();
  });

  test("PodUpdateWithADC: what a pod had is detached when it has ended", async () => {
    await attach("pod");
    const ref = { namespace: space.namespace, name: "pod" };
    const body = { status: { phase: "Succeeded" } };
    await cluster.client
      .clientFor(resources.pods)
      .patch(ref, { type: "merge", body }, { subresource: "status" });
    await untilAttached();
  });

  test("PodAddedByDswp: pods that come, and are given their node, get what they need", async () => {
    await attach("pod");
    await addClaim("second");
    await bind("second");
    await addPod("other", "second", "");
    await space.never("it is attached", 500, async () => (await ofNode()).length > 1);
    const ref = { namespace: space.namespace, name: "other" };
    const target = { apiVersion: "v1", kind: "Node", name: node };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: ref, target };
    await cluster.client.clientFor(resources.pods).createSubresource(ref, "binding", binding);
    await untilAttached("claim", "second");
  });

  test("PVCBoundWithADC: pods whose claims get their volumes later get them then", async () => {
    const claims = ["claim-0", "claim-1", "claim-2"];
    for (const claim of claims) {
      await addClaim(claim);
      await addPod(`pod-of-${claim}`, claim);
    }
    await space.never("something is attached", 500, async () => (await ofNode()).length > 0);
    for (const claim of claims) await bind(claim);
    await untilAttached(...claims);
  });

  test("who takes over finds all as it is to be, and writes nothing", async () => {
    await attach("pod");
    const before = await attachments().list();
    const stop = cluster.run([
      attachDetachController({ isCompared: true, disableForceDetachOnTimeout: false }),
    ]);
    await space.never("something changes", 1_000, async () => {
      const { metadata } = await attachments().list();
      const [object] = await ofNode();
      const known = before.items.find(({ metadata: { uid } }) => uid === object?.metadata.uid);
      return metadata.resourceVersion === "" || known === undefined;
    });
    await stop();
    expect(await ofNode()).toHaveLength(1);
  });
});
