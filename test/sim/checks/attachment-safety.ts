import { resources } from "../../../pkg/api/resources.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../../pkg/api/types/storage-v1.gen.ts";
import { isForOneNode } from "../../../pkg/api/volumes/claim-facts.ts";
import { csiUniqueName } from "../../../pkg/api/volumes/csi-names.ts";
import { BUCKETS, VOLUME_BUCKETS } from "../world/history.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { OUT_OF_SERVICE, readyOf } from "./node-facts.ts";
import { States } from "./states.ts";
import { isManaged, isUser, volumesOf } from "./volume-facts.ts";
import { stateAfter, type Write } from "./write.ts";

const ATTACHER = "attachdetach-controller";
/** How long a node that is down may use what it is not to have any more, as its clock may tell. */
const FORCE_MS = 6 * 60_000 * 0.97;

/** Volumes are attached where pods need them, to one node at a time where their modes say so, and detached after their use. */
export class AttachmentSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #attachments: States<VolumeAttachment>;
  readonly #nodes: States<Node>;
  /** When a pod on the node used the volume last, by both names. */
  readonly #usedMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#attachments = new States(world, VOLUME_BUCKETS.volumeattachments);
    this.#nodes = new States(world, BUCKETS["nodes"] ?? "");
    world.server.parts.store.subscribe(BUCKETS["pods"] ?? "", ({ object, previous }) => {
      for (const pod of [previous, object] as readonly (Pod | undefined)[])
        if (pod !== undefined && isUser(pod)) this.#used(pod);
    });
  }

  judge(write: Write): void {
    const { bucket, client, event } = write;
    if (bucket !== VOLUME_BUCKETS.volumeattachments || client !== ATTACHER) return;
    const attachment = event.object as VolumeAttachment;
    if (event.type === "ADDED") return this.#judgeAttaching(attachment, write);
    const before = event.previous as VolumeAttachment | undefined;
    const isLeaving = stateAfter(event)?.metadata.deletionTimestamp ?? event.type === "DELETED";
    if (isLeaving && before?.metadata.deletionTimestamp === undefined)
      this.#judgeDetaching(attachment, write);
  }

  #judgeAttaching({ metadata, spec }: VolumeAttachment, { line, process }: Write): void {
    const { persistentVolumeName: name = "" } = spec.source;
    const horizonMs = this.#beliefs.horizonMs(process, ["volumeattachments", "persistentvolumes"]);
    const volume = this.#volumes.find((each) => each.metadata.name === name);
    if (!isForOneNode(volume?.spec?.accessModes)) return;
    for (const other of objectsIn<VolumeAttachment>(this.#store, resources.volumeAttachments)) {
      if (other.metadata.uid === metadata.uid || other.spec.source.persistentVolumeName !== name) continue;
      const states = this.#attachments.since(other.metadata, horizonMs);
      if (states.every((each) => each?.metadata.uid === other.metadata.uid))
        this.#world.violate(`${line}: ${other.spec.nodeName} has ${name}`);
    }
  }

  #judgeDetaching({ spec }: VolumeAttachment, { line, process }: Write): void {
    const { source, nodeName } = spec;
    const { persistentVolumeName: name = "" } = source;
    const volume = this.#volumes.find((each) => each.metadata.name === name);
    const horizonMs = this.#beliefs.horizonMs(process, ["nodes", "pods"]);
    const nodes = this.#nodes.since({ name: nodeName }, horizonMs);
    const { csi } = volume?.spec ?? {};
    const unique = csi && csiUniqueName(csi);
    const isTold = (node: Node | undefined): boolean =>
      node?.status?.volumesAttached?.some((each) => each.name === unique) === true;
    if (unique !== undefined && nodes.every(isTold))
      this.#world.violate(`${line}: ${nodeName} has not been told that it loses ${name}`);
    const usedMs = this.#usedMs.get(`${nodeName} ${name}`) ?? 0;
    const isDown = nodes.some((node) => node === undefined || readyOf(node) !== "True");
    const isOver = this.#world.clock.monotonicMs() - usedMs > FORCE_MS;
    const isOut = nodes.some((node) => node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE));
    if (isOut || (isDown && isOver)) return;
    // Of pods on a node that has gone, or was made anew and has not registered, nobody knows that they run.
    if (nodes.some((node) => node === undefined || !isManaged(node))) return;
    const claims = objectsIn<PersistentVolumeClaim>(this.#store, resources.persistentVolumeClaims);
    const user = podsIn(this.#store).find(
      (pod) =>
        isUser(pod) &&
        pod.spec?.nodeName === nodeName &&
        pod.status?.phase === "Running" &&
        volumesOf(pod, claims, this.#volumes).some(({ metadata }) => metadata.name === name),
    );
    if (user !== undefined)
      this.#world.violate(`${line}: ${user.metadata.name} runs on ${nodeName} with ${name}`);
    if (unique !== undefined && nodes.every((node) => node?.status?.volumesInUse?.includes(unique) === true))
      this.#world.violate(`${line}: ${nodeName} uses ${name}`);
  }

  #used(pod: Pod): void {
    const claims = objectsIn<PersistentVolumeClaim>(this.#store, resources.persistentVolumeClaims);
    for (const { metadata } of volumesOf(pod, claims, this.#volumes))
      this.#usedMs.set(`${pod.spec?.nodeName} ${metadata.name}`, this.#world.clock.monotonicMs());
  }

  get #volumes(): readonly PersistentVolume[] {
    return objectsIn<PersistentVolume>(this.#store, resources.persistentVolumes);
  }

  get #store() {
    return this.#world.server.parts.store;
  }
}
