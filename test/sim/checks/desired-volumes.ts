import { podClaims } from "../../../pkg/api/pod-claims.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass, VolumeAttachment } from "../../../pkg/api/types/storage-v1.gen.ts";
import {
  classOf,
  isBound,
  isDelayed,
  isForOneNode,
  PROVISIONED_BY,
  SELECTED_NODE,
} from "../../../pkg/api/volumes/claim-facts.ts";
import { csiUniqueName } from "../../../pkg/api/volumes/csi-names.ts";
import { HOLLOW_PROVISIONER } from "../../../pkg/cluster/volumes/hollow-volume.ts";
import type { Disks } from "../world/disks.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Differences } from "./differences.ts";
import { isFree, isManaged, isUser, suits, volumesOf } from "./volume-facts.ts";

const HOST_PATH = "kubernetes.io/host-path";

/** All that there is, and the disks themselves. */
interface Scene {
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
  readonly classes: readonly StorageClass[];
  readonly attachments: readonly VolumeAttachment[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly disks: Disks;
}

/** What becomes of claims, volumes and attachments in the end: from the API's documentation. */
export function checkVolumes(found: Differences, world: World): void {
  const { store } = world.server.parts;
  if (world.disks === undefined) return;
  const scene: Scene = {
    claims: objectsIn<PersistentVolumeClaim>(store, resources.persistentVolumeClaims),
    volumes: objectsIn<PersistentVolume>(store, resources.persistentVolumes),
    classes: objectsIn<StorageClass>(store, resources.storageClasses),
    attachments: objectsIn<VolumeAttachment>(store, resources.volumeAttachments),
    nodes: objectsIn<Node>(store, resources.nodes),
    pods: podsIn(store),
    disks: world.disks,
  };
  for (const claim of scene.claims) checkClaim(found, claim, scene);
  for (const volume of scene.volumes) checkVolume(found, volume, scene);
  checkDisks(found, scene);
  checkAttachments(found, scene);
}

function checkClaim(found: Differences, claim: PersistentVolumeClaim, scene: Scene): void {
  const isUsed = scene.pods.some((pod) => isOnNode(pod) && names(pod, claim));
  if (claim.metadata.deletionTimestamp !== undefined && !isUsed) found.add(claim, "nobody holds it up");
  const name = claim.spec?.volumeName ?? "";
  const volume = scene.volumes.find(({ metadata }) => metadata.name === name);
  const phase = claim.status?.phase;
  if (isBound(claim)) {
    const has = volume?.spec?.claimRef?.uid === claim.metadata.uid;
    return found.compare(claim, "phase, of one that has been bound", phase, has ? "Bound" : "Lost");
  }
  found.compare(claim, "phase", phase, "Pending");
  const free = scene.volumes.find((each) => (isKept(each, claim) || isFree(each)) && suits(each, claim));
  const storageClass = scene.classes.find(({ metadata }) => metadata.name === classOf(claim));
  if (name !== "") {
    if (volume !== undefined && isFree(volume) && suits(volume, claim)) found.add(claim, `${name} is free`);
    return;
  }
  if (isDelayed(storageClass) && claim.metadata.annotations?.[SELECTED_NODE] === undefined) return;
  if (free !== undefined && !isDelayed(storageClass)) found.add(claim, `${free.metadata.name} is free`);
  else if (storageClass?.provisioner === HOLLOW_PROVISIONER || canBeDirectory(claim, storageClass))
    found.add(claim, `has not got a volume of ${classOf(claim)}`);
}

/** Directories are made for claims without selectors and for one node. */
function canBeDirectory({ spec }: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  return storageClass?.provisioner === HOST_PATH && spec?.selector === undefined;
}

function checkVolume(found: Differences, volume: PersistentVolume, { claims }: Scene): void {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  const phase = volume.status?.phase;
  const isLeaving = volume.metadata.deletionTimestamp !== undefined;
  if ((claimRef?.uid ?? "") === "") {
    found.compare(volume, "phase, of one that nobody has", phase, "Available");
    if (isLeaving) found.add(volume, "nobody holds it up");
    return;
  }
  const claim = claims.find(({ metadata }) => metadata.uid === claimRef?.uid);
  if (claim !== undefined) {
    found.compare(volume, "phase, of one that a claim has", phase, "Bound");
    found.compare(volume, "its claim's volume", claim.spec?.volumeName, volume.metadata.name);
    return;
  }
  const maker = volume.metadata.annotations?.[PROVISIONED_BY];
  const isReclaimed = maker !== undefined || volume.spec?.hostPath !== undefined;
  if (policy === "Delete" && isReclaimed) found.add(volume, `has had no claim for long, in ${phase}`);
  // Nobody deletes such a disk, which is said of it for good.
  else if (volume.spec?.fc !== undefined && (phase === "Failed" || policy === "Delete"))
    found.compare(volume, "phase, of one that nobody deletes", phase, "Failed");
  else found.compare(volume, "phase, of one whose claim is gone", phase, "Released");
  if (isLeaving && !(policy === "Retain" && maker !== undefined)) found.add(volume, "nobody holds it up");
}

/** What was provisioned is some volume's, and attached where an attachment says so. */
function checkDisks(found: Differences, { disks, volumes, attachments }: Scene): void {
  const owner = { metadata: { name: "the storage system" } };
  for (const handle of disks.handles) {
    const volume = volumes.find(({ spec }) => spec?.csi?.volumeHandle === handle);
    if (handle.startsWith("pvc-") && volume === undefined)
      found.add(owner, `nobody knows the disk ${handle}`);
    const nodes = attachments.flatMap(({ spec }) =>
      spec.source.persistentVolumeName === handle ? spec.nodeName : [],
    );
    found.compare(owner, `where ${handle} is`, disks.nodesOf(handle).toSorted(), nodes.toSorted());
  }
  for (const path of disks.directories)
    if (!volumes.some(({ spec }) => spec?.hostPath?.path === path))
      found.add(owner, `nobody knows the directory ${path}`);
}

/** Each volume that a pod on a node needs is attached there, unless another node has it, and nothing else is. */
function checkAttachments(found: Differences, scene: Scene): void {
  const { pods, claims, volumes, attachments, nodes } = scene;
  const wanted = new Map<string, Pod>();
  /** Volumes that are attached when the node has been told so, by that name. */
  const told = new Map<string, Pod>();
  const managed = new Set(nodes.filter(isManaged).map(({ metadata }) => metadata.name));
  for (const pod of pods.filter((each) => isUser(each) && managed.has(each.spec?.nodeName)))
    for (const { metadata, spec } of volumesOf(pod, claims, volumes)) {
      if (spec?.csi !== undefined) wanted.set(`${metadata.name} on ${pod.spec?.nodeName}`, pod);
      if (spec?.fc !== undefined) told.set(`${nameOfDisk(metadata.name)} on ${pod.spec?.nodeName}`, pod);
    }
  const attached = new Set<string>();
  for (const attachment of attachments) {
    const { persistentVolumeName = "" } = attachment.spec.source;
    const place = `${persistentVolumeName} on ${attachment.spec.nodeName}`;
    attached.add(place);
    if (attachment.metadata.deletionTimestamp !== undefined) found.add(attachment, `${place} is leaving`);
    if (attachment.status?.attached !== true) found.add(attachment, `${place} is not attached`);
    // Of a node that has not registered anew it may be known from the one before it what it needs.
    if (!wanted.has(place) && managed.has(attachment.spec.nodeName))
      found.add(attachment, `nobody needs ${place}`);
  }
  for (const [place, pod] of wanted) {
    const [name = ""] = place.split(" on ");
    const volume = volumes.find(({ metadata }) => metadata.name === name);
    const isElsewhere = [...attached].some((other) => other.startsWith(`${name} on `));
    if (!attached.has(place) && !(isElsewhere && isForOneNode(volume?.spec?.accessModes)))
      found.add(pod, `needs ${place}`);
  }
  for (const node of nodes) {
    const own = attachments.filter(({ spec }) => spec.nodeName === node.metadata.name);
    const names = own.flatMap(({ spec: { source } }) => {
      const csi = volumes.find(({ metadata }) => metadata.name === source.persistentVolumeName)?.spec?.csi;
      return csi === undefined ? [] : csiUniqueName(csi);
    });
    const said = (node.status?.volumesAttached ?? []).map(({ name }) => name);
    // As above.
    const isRight = (name: string): boolean =>
      isDisk(name) && (told.has(`${name} on ${node.metadata.name}`) || !managed.has(node.metadata.name));
    const all = [...names, ...said.filter(isRight)];
    found.compare(node, "what it is told to have", said.toSorted(), all.toSorted());
  }
  for (const [place, pod] of told) {
    const [name = "", where = ""] = place.split(" on ");
    const owners = nodes.filter(({ status }) => status?.volumesAttached?.some((each) => each.name === name));
    const volume = volumes.find(({ metadata }) => nameOfDisk(metadata.name) === name);
    const isElsewhere = owners.length > 0 && isForOneNode(volume?.spec?.accessModes);
    if (!isElsewhere && !owners.some(({ metadata }) => metadata.name === where))
      found.add(pod, `its node does not know of ${name}`);
    if (isElsewhere && owners.length > 1) found.add(pod, `${name} is on ${owners.length} nodes`);
  }
}

const FIBRE = "kubernetes.io/fc/";
/** What nodes call a disk that no driver attaches. */
const nameOfDisk = (volume: string | undefined): string => `${FIBRE}[${volume}]:1`;
const isDisk = (name: string): boolean => name.startsWith(FIBRE);

/** Its user keeps it for one of the name. */
function isKept({ spec, status }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid = "" } = spec?.claimRef ?? {};
  return (
    name === metadata.name && namespace === metadata.namespace && uid === "" && status?.phase === "Available"
  );
}

const isOnNode = ({ spec }: Pod): boolean => (spec?.nodeName ?? "") !== "";

const names = (pod: Pod, { metadata }: PersistentVolumeClaim): boolean =>
  pod.metadata.namespace === metadata.namespace && podClaims(pod).some(({ name }) => name === metadata.name);
