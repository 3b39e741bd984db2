import { resources } from "../../pkg/api/resources.ts";
import type {
  ContainerState,
  ContainerStatus,
  Node,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodStatus,
  Volume,
} from "../../pkg/api/types/core-v1.gen.ts";
import type {
  CSIDriver,
  VolumeAttachment,
  VolumeAttachmentStatus,
} from "../../pkg/api/types/storage-v1.gen.ts";
import {
  type ControllerWorld,
  lineOf,
  NAMESPACE,
  newWorld,
  type WorldOptions,
} from "../../test/harness/controller-world.ts";
import { attachmentName, csiUniqueName } from "../../pkg/api/volumes/csi-names.ts";
import type { AttachDetachSettings } from "./context.ts";
import { attachDetachController } from "./controller.ts";
import { MANAGED_ANNOTATION } from "./fields.ts";

export const DRIVER = "csi.example.com";
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** The unique name of the volume of that name. */
export const uniqueName = (name: string): string =>
  csiUniqueName({ driver: DRIVER, volumeHandle: `handle-${name}` });
/** The VolumeAttachment of the volume of that name. */
export const objectName = (volume: string, node: string): string =>
  attachmentName({ driver: DRIVER, volumeHandle: `handle-${volume}` }, node);

export const RWO = ["ReadWriteOnce"];
export const RWX = ["ReadWriteMany"];

/** A world with nodes, volumes with their claims, and pods; driver and kubelets do what the test has them do. */
export class Scene {
  readonly world: ControllerWorld;
  readonly #nodes: string[] = [];
  readonly #volumes: string[] = [];

  constructor(world: ControllerWorld) {
    this.world = world;
  }

  static async make(options: WorldOptions = {}): Promise<Scene> {
    return new Scene(await newWorld(options));
  }

  async start(settings: Partial<AttachDetachSettings> = {}) {
    const controller = attachDetachController({
      isCompared: true,
      disableForceDetachOnTimeout: false,
      ...settings,
    });
    return this.world.start(controller);
  }

  async addNode(name: string, status: NodeStatus = {}, isManaged = true): Promise<void> {
    this.#nodes.push(name);
    const annotations = isManaged ? { [MANAGED_ANNOTATION]: "true" } : {};
    const conditions = [{ type: "Ready", status: "True" }];
    const node: Node = { metadata: { name, annotations }, status: { conditions, ...status } };
    await this.world.createWithStatus(resources.nodes, node);
  }

  async setNode(name: string, status: NodeStatus): Promise<void> {
    const nodes = this.world.client.clientFor<Node>(resources.nodes);
    const node = await nodes.get({ name });
    await nodes.updateStatus({ ...node, status: { ...node.status, ...status } });
  }

  async setReady(name: string, isReady: boolean): Promise<void> {
    await this.setNode(name, { conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }] });
  }

  /** As its kubelet does. */
  async use(node: string, ...volumes: readonly string[]): Promise<void> {
    await this.setNode(node, { volumesInUse: volumes.map(uniqueName) });
  }

  async taint(name: string, key: string): Promise<void> {
    await this.world.update<Node>(resources.nodes, name, (node) => ({
      ...node,
      spec: { ...node.spec, taints: [{ key, effect: "NoExecute" }] },
    }));
  }

  /** A volume, and a claim of the same name that has it. */
  async addVolume(name: string, accessModes: readonly string[]): Promise<void> {
    await this.addClaim(name, accessModes, "Bound");
    await this.addVolumeOf(name, accessModes);
  }

  async addClaim(name: string, accessModes: readonly string[], phase: string): Promise<void> {
    const claim: PersistentVolumeClaim = {
      metadata: { name },
      spec: { accessModes, volumeName: name, resources: { requests: { storage: "1Gi" } } },
      status: { phase },
    };
    await this.world.createWithStatus(resources.persistentVolumeClaims, claim);
  }

  async setClaim(name: string, phase: string): Promise<void> {
    const claims = this.world.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);
    const claim = await claims.get({ namespace: NAMESPACE, name });
    if (claim.status?.phase !== phase) await claims.updateStatus({ ...claim, status: { phase } });
  }

  /** The volume that the claim of that name has. */
  async addVolumeOf(name: string, accessModes: readonly string[]): Promise<void> {
    this.#volumes.push(name);
    const { metadata } = await this.world.get(resources.persistentVolumeClaims, name);
    const volume: PersistentVolume = {
      metadata: { name },
      spec: {
        accessModes,
        capacity: { storage: "1Gi" },
        claimRef: { namespace: NAMESPACE, name, ...(metadata.uid !== undefined && { uid: metadata.uid }) },
        csi: { driver: DRIVER, volumeHandle: `handle-${name}` },
      },
    };
    await this.world.create(resources.persistentVolumes, volume);
  }

  /** A pod that runs on the node with the claims of these names. */
  async addPod(name: string, node: string, ...claims: readonly string[]): Promise<void> {
    const volumes = claims.map((claimName, index) => ({
      name: `volume-${index}`,
      persistentVolumeClaim: { claimName },
    }));
    await this.addPodWith(name, node, volumes);
  }

  async addPodWith(name: string, node: string, volumes: readonly Volume[]): Promise<void> {
    const pod: Pod = {
      metadata: { name },
      spec: {
        ...(node !== "" && { nodeName: node }),
        volumes,
        containers: [{ name: "main", image: "none" }],
      },
      status: { phase: "Running" },
    };
    await this.world.createWithStatus(resources.pods, pod);
  }

  async bind(name: string, node: string): Promise<void> {
    const ref = { namespace: NAMESPACE, name };
    const target = { kind: "Node", name: node };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: ref, target };
    await this.world.client.clientFor(resources.pods).createSubresource(ref, "binding", binding);
  }

  async setPod(name: string, status: PodStatus): Promise<void> {
    const pods = this.world.client.clientFor<Pod>(resources.pods);
    const pod = await pods.get({ namespace: NAMESPACE, name });
    await pods.updateStatus({ ...pod, status });
  }

  container(state: ContainerState): ContainerStatus {
    return { name: "main", image: "none", imageID: "", ready: false, restartCount: 0, state };
  }

  /** Whether the driver of all volumes attaches. */
  async setDriver(attachRequired: boolean): Promise<void> {
    const drivers = this.world.client.clientFor<CSIDriver>(resources.csiDrivers);
    // What it says of that cannot be changed.
    const { items } = await drivers.list();
    for (const { metadata } of items) await drivers.delete({ name: metadata.name });
    await drivers.create({ metadata: { name: DRIVER }, spec: { attachRequired } });
  }

  async removePod(name: string): Promise<void> {
    const pods = this.world.client.clientFor(resources.pods);
    await pods.delete({ namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
  }

  /** As the driver does. */
  async answer(volume: string, node: string, status: VolumeAttachmentStatus): Promise<void> {
    const attachments = this.world.client.clientFor<VolumeAttachment>(resources.volumeAttachments);
    const object = await attachments.get({ name: objectName(volume, node) });
    await attachments.updateStatus({ ...object, status });
  }

  async attached(volume: string, node: string): Promise<void> {
    await this.answer(volume, node, { attached: true });
    await this.world.run();
  }

  /** Whatever there is of it. */
  async attachedAll(): Promise<void> {
    const attachments = this.world.client.clientFor<VolumeAttachment>(resources.volumeAttachments);
    const { items } = await attachments.list();
    for (const object of items) await attachments.updateStatus({ ...object, status: { attached: true } });
    await this.world.run();
  }

  /** From now on the VolumeAttachment goes when the driver lets it go. */
  async hold(volume: string, node: string): Promise<void> {
    await this.#setFinalizers(volume, node, ["external-attacher/csi-example-com"]);
  }

  async letGo(volume: string, node: string): Promise<void> {
    await this.#setFinalizers(volume, node, []);
  }

  async #setFinalizers(volume: string, node: string, finalizers: readonly string[]): Promise<void> {
    const attachments = this.world.client.clientFor<VolumeAttachment>(resources.volumeAttachments);
    const object = await attachments.get({ name: objectName(volume, node) });
    await attachments.update({ ...object, metadata: { ...object.metadata, finalizers } });
  }

  /** A VolumeAttachment that somebody has made before. */
  async addAttachment(volume: string, node: string, isAttached: boolean): Promise<void> {
    await this.world.createWithStatus(resources.volumeAttachments, {
      metadata: { name: objectName(volume, node) },
      spec: { attacher: DRIVER, nodeName: node, source: { persistentVolumeName: volume } },
      status: { attached: isAttached },
    });
  }

  /** VolumeAttachments that there are, as "volume on node". */
  async attachments(): Promise<readonly string[]> {
    const objects = await this.world.list<VolumeAttachment>(resources.volumeAttachments);
    return objects
      .map(({ spec }) => `${spec.source.persistentVolumeName ?? "inline"} on ${spec.nodeName}`)
      .toSorted();
  }

  /** What the node's status says is attached. */
  async reported(node: string): Promise<readonly string[]> {
    const { status } = await this.world.get<Node>(resources.nodes, node);
    return (status?.volumesAttached ?? []).map(({ name }) => name);
  }

  /** The writes of the controller since the last call, such as "create volumeattachments pv-1 on node-1". */
  takeWrites(): readonly string[] {
    return this.world
      .takeWrites()
      .filter(({ resource }) => resource !== "events")
      .map((write) => {
        const { resource, name, body } = write;
        if (resource !== "volumeattachments") return lineOf(write);
        return lineOf({ ...write, name: this.#placeOf(`${name} ${JSON.stringify(body ?? "")}`) });
      });
  }

  /** "volume on node" of the VolumeAttachment whose name is in the text. */
  #placeOf(text: string): string {
    for (const node of this.#nodes)
      for (const volume of this.#volumes)
        if (text.includes(objectName(volume, node))) return `${volume} on ${node}`;
    return text;
  }

  /** All events, as "pod: Reason message". */
  async events(): Promise<readonly string[]> {
    await this.world.run();
    const { items } = await this.world.client.clientFor(resources.events).list();
    return items.map(({ involvedObject, reason, message }) => `${involvedObject.name}: ${reason} ${message}`);
  }
}
