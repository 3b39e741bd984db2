import { isPodTerminal } from "../../api/pod.ts";
import { keyOf, type Stored } from "../../api/object.ts";
import { newControllerRef } from "../../api/owner-references.ts";
import { claimKeysOf, CLAIMS_OF_PODS, POD_CLAIM_FIELDS } from "../../api/pod-claims.ts";
import type { Projected } from "../../api/projected.ts";
import { resources } from "../../api/resources.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { CSINode, VolumeAttachment } from "../../api/types/storage-v1.gen.ts";
import { csiUniqueName } from "../../api/volumes/csi-names.ts";
import { isAlreadyExists } from "../../client/errors.ts";
import type { Cache } from "../../controller/cache.ts";
import type { Synced } from "../../controller/caches-ready.ts";
import type { ControllerDescriptor, Env } from "../../controller/env.ts";
import { type Kit, wired } from "../../controller/kit.ts";
import { NODE_INDEX, podNode } from "../../controller/pods-on-node.ts";
import { isGoneOrReplaced } from "../../controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";
import { HOLLOW_PROVISIONER } from "../volumes/hollow-volume.ts";
import { NODE_FAILURE_ANNOTATION, nodeFailures } from "./node-failure.ts";
import { hollowNodeName } from "./node-object.ts";

/** The kubelet leaves attaching to a controller. */
const MANAGED_ANNOTATION = "volumes.kubernetes.io/controller-managed-attach-detach";
const NODE_FIELDS = [
  `metadata.annotations[${NODE_FAILURE_ANNOTATION}]`,
  `metadata.annotations[${MANAGED_ANNOTATION}]`,
  "status.volumesInUse",
] as const;
const POD_FIELDS = [...POD_CLAIM_FIELDS, "spec.nodeName", "status.phase"] as const;
const CLAIM_FIELDS = ["spec.volumeName"] as const;
const VOLUME_FIELDS = ["spec.claimRef", "spec.csi.driver", "spec.csi.volumeHandle"] as const;
const ATTACHMENT_FIELDS = ["spec.attacher", "status.attached"] as const;

type CachedNode = Projected<Node, typeof NODE_FIELDS>;
type CachedPod = Projected<Pod, typeof POD_FIELDS>;
type CachedClaim = Projected<PersistentVolumeClaim, typeof CLAIM_FIELDS>;
type CachedVolume = Projected<PersistentVolume, typeof VOLUME_FIELDS>;
type CachedAttachment = Projected<VolumeAttachment, typeof ATTACHMENT_FIELDS>;

/**
 * Attaches volumes without disks, unless somebody else does, and says for nodes without machines that they can have such
 * volumes, and which they use.
 */
export function hollowAttacher(count: number, attaches = true): ControllerDescriptor {
  const names = new Set(Array.from({ length: count }, (_, index) => hollowNodeName(index)));
  return {
    name: "hollow-attacher",
    clientName: "hollow-attacher",
    build: wired((kit) => {
      const attacher = new Attacher(kit);
      const { nodes, pods, claims, volumes, attachments } = attacher;
      kit.ownerQueue({
        name: "attachments",
        workers: 8,
        owners: attachments,
        wakes: ({ type, object }, wake) => {
          if (attaches && type !== "deleted" && isToBeAttached(object)) wake(keyOf(object));
        },
        sync: async (sync) => attacher.attach(sync),
      });
      const nodeQueue = kit.ownerQueue({
        name: "nodes",
        workers: 8,
        owners: nodes,
        consistency: kit.newConsistency(),
        wakes: (change, wake) => {
          const isNews =
            change.type === "added" ||
            (change.type === "updated" && isSilent(change.before) !== isSilent(change.object));
          if (isNews && names.has(change.object.metadata.name)) wake(keyOf(change.object));
        },
        sync: async (sync) => attacher.tellNode(sync),
      });
      pods.wakes(nodeQueue, ({ object }, wake) => {
        const node = object.spec?.nodeName ?? "";
        if (names.has(node) && claimKeysOf(object).length > 0) wake(node);
      });
      const wakeUsers = (claim: string, wake: (node: string) => void): void => {
        for (const { spec } of pods.lister.byIndex(CLAIMS_OF_PODS, claim))
          if (names.has(spec?.nodeName ?? "")) wake(spec?.nodeName ?? "");
      };
      claims.wakes(nodeQueue, ({ object }, wake) => wakeUsers(keyOf(object), wake));
      volumes.wakes(nodeQueue, ({ object }, wake) => {
        const { namespace, name } = object.spec?.claimRef ?? {};
        if (name !== undefined) wakeUsers(`${namespace}/${name}`, wake);
      });
    }),
  };
}

function isToBeAttached({ metadata, spec, status }: CachedAttachment): boolean {
  return (
    spec.attacher === HOLLOW_PROVISIONER &&
    metadata.deletionTimestamp === undefined &&
    status?.attached !== true
  );
}

function isSilent(node: CachedNode): boolean {
  return nodeFailures(node).has("silent");
}

class Attacher {
  readonly nodes: Cache<CachedNode, Node>;
  readonly pods: Cache<CachedPod, Pod>;
  readonly claims: Cache<CachedClaim, PersistentVolumeClaim>;
  readonly volumes: Cache<CachedVolume, PersistentVolume>;
  readonly attachments: Cache<CachedAttachment, VolumeAttachment>;
  readonly #nodeWrites;
  readonly #attachmentWrites;
  readonly #csiNodes;
  /** Uids of nodes that are known to the controller of attachments, and have their CSINode. */
  readonly #registered = new Set<string>();

  constructor(kit: Kit) {
    this.nodes = kit.reads(resources.nodes, { fields: NODE_FIELDS });
    this.pods = kit.reads(resources.pods, { fields: POD_FIELDS });
    this.pods.addIndex(NODE_INDEX, podNode);
    this.pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
    this.claims = kit.reads(resources.persistentVolumeClaims, { fields: CLAIM_FIELDS });
    this.volumes = kit.reads(resources.persistentVolumes, { fields: VOLUME_FIELDS });
    this.attachments = kit.reads(resources.volumeAttachments, { fields: ATTACHMENT_FIELDS });
    this.#nodeWrites = kit.env.client.clientFor(resources.nodes);
    this.#attachmentWrites = kit.writes(resources.volumeAttachments);
    this.#csiNodes = kit.env.client.clientFor<CSINode>(resources.csiNodes);
  }

  async attach(sync: OwnerSync<CachedAttachment>): Promise<SyncResult> {
    const { owner } = sync;
    if (!isToBeAttached(owner)) return {};
    sync.decided("It is attached");
    const body = { metadata: { uid: owner.metadata.uid }, status: { attached: true } };
    try {
      await this.#attachmentWrites.patchStatusUnread(sync, owner, { type: "merge", body });
    } catch (error) {
      if (!isGoneOrReplaced(error)) throw error;
    }
    return {};
  }

  /** A node that is silent says nothing, and goes on to use what it uses. */
  async tellNode(sync: OwnerSync<CachedNode>): Promise<SyncResult> {
    const { owner: node, signal } = sync;
    if (isSilent(node)) return {};
    await this.#register(node, signal);
    const used = this.#usedBy(node.metadata.name);
    const said = node.status?.volumesInUse ?? [];
    if (used.length === said.length && used.every((volume) => said.includes(volume))) return {};
    sync.decided("The node uses other volumes than it says", { used: used.length });
    const { name, uid } = node.metadata;
    const body = { metadata: { uid }, status: { volumesInUse: used.length > 0 ? used : null } };
    try {
      const how = { subresource: "status" } as const;
      await this.#nodeWrites.patch({ name }, { type: "merge", body }, how, signal);
    } catch (error) {
      if (!isGoneOrReplaced(error)) throw error;
    }
    return {};
  }

  async #register(node: Stored<CachedNode>, signal: AbortSignal): Promise<void> {
    const { name, uid, annotations } = node.metadata;
    if (this.#registered.has(uid)) return;
    if (annotations?.[MANAGED_ANNOTATION] === undefined) {
      const body = { metadata: { uid, annotations: { [MANAGED_ANNOTATION]: "true" } } };
      await this.#nodeWrites.patch({ name }, { type: "merge", body }, {}, signal);
    }
    const { controller: _, blockOwnerDeletion: __, ...owner } = newControllerRef(node, resources.nodes);
    const spec = { drivers: [{ name: HOLLOW_PROVISIONER, nodeID: name, topologyKeys: [] }] };
    try {
      await this.#csiNodes.create({ metadata: { name, ownerReferences: [owner] }, spec }, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    this.#registered.add(uid);
  }

  /** Volumes of pods that are on the node, and have not ended. */
  #usedBy(node: string): readonly string[] {
    const used = new Set<string>();
    for (const pod of this.pods.lister.byIndex(NODE_INDEX, node)) {
      if (isPodTerminal(pod)) continue;
      for (const key of claimKeysOf(pod)) {
        const volume = this.volumes.lister.getByKey(this.claims.lister.getByKey(key)?.spec?.volumeName ?? "");
        const { csi } = volume?.spec ?? {};
        if (csi?.driver === HOLLOW_PROVISIONER) used.add(csiUniqueName(csi));
      }
    }
    return [...used];
  }
}

/** What the status of a node says of volumes. */
export type NodeVolumes = Pick<NonNullable<Node["status"]>, "volumesAttached" | "volumesInUse">;

/** What kubelets ask before they start the containers of a pod. */
export interface PodVolumes {
  readonly synced: readonly Synced[];
  /**
   * Whether the pod may use its volumes: the node has said of each that is to be attached that it uses it, before it looked
   * whether it is.
   */
  areAttached(pod: Pod, node: NodeVolumes | undefined): boolean;
}

export function podVolumes({ informers }: Pick<Env, "informers">): PodVolumes {
  const claims = informers.informer(resources.persistentVolumeClaims, { fields: CLAIM_FIELDS });
  const volumes = informers.informer(resources.persistentVolumes, { fields: VOLUME_FIELDS });
  return {
    synced: [claims, volumes],
    areAttached: (pod, { volumesAttached = [], volumesInUse = [] } = {}) =>
      claimKeysOf(pod).every((key) => {
        const name = claims.lister.getByKey(key)?.spec?.volumeName ?? "";
        const csi = volumes.lister.getByKey(name)?.spec?.csi;
        if (name === "" || csi?.driver !== HOLLOW_PROVISIONER) return name !== "";
        const uniqueName = csiUniqueName(csi);
        return volumesInUse.includes(uniqueName) && volumesAttached.some(({ name }) => name === uniqueName);
      }),
  };
}
