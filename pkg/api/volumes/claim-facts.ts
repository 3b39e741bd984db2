import { type ApiObject, refKey } from "../object.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../types/core-v1.gen.ts";
import type { StorageClass } from "../types/storage-v1.gen.ts";

/** The claim has been bound once. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** The binding is not what a user has written. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** Who has made the volume. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** The CSI driver that does the work of the plugin that is named elsewhere. */
export const MIGRATED_TO = "pv.kubernetes.io/migrated-to";
/** The node on which the first pod of the claim is to run. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** Who is to make a volume for the claim. */
export const STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner";
export const BETA_STORAGE_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";
const BETA_CLASS = "volume.beta.kubernetes.io/storage-class";
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
const BETA_DEFAULT_CLASS = "storageclass.beta.kubernetes.io/is-default-class";

export const isAnnotated = ({ metadata }: ApiObject, name: string): boolean =>
  metadata.annotations?.[name] !== undefined;

export function withAnnotations<T extends ApiObject>(
  object: T,
  annotations: Readonly<Record<string, string>>,
): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

export function withoutAnnotation<T extends ApiObject>(object: T, name: string): T {
  const { annotations = {}, ...metadata } = object.metadata;
  const { [name]: _, ...left } = annotations;
  return { ...object, metadata: { ...metadata, ...(Object.keys(left).length > 0 && { annotations: left }) } };
}

/** "" where no class is asked for. */
export function classOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata.annotations?.[BETA_CLASS] ?? spec?.storageClassName ?? "";
}

/** A claim of class "" wants a volume without class; one that says nothing takes the default. */
export function namesClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[BETA_CLASS] !== undefined || spec?.storageClassName !== undefined;
}

/** Claims of the class get a volume when the first pod that uses them is placed. */
export function isDelayed(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

export function isDefaultClass({ metadata: { annotations = {} } }: StorageClass): boolean {
  return annotations[DEFAULT_CLASS] === "true" || annotations[BETA_DEFAULT_CLASS] === "true";
}

/** The newest default class; of equally old ones the first by name. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const createdAt = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? "";
  return classes
    .filter(isDefaultClass)
    .toSorted((one, other) => {
      if (createdAt(one) !== createdAt(other)) return createdAt(one) < createdAt(other) ? 1 : -1;
      return (one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1;
    })
    .at(0);
}

export const isBound = (claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.volumeName ?? "") !== "" && isAnnotated(claim, BIND_COMPLETED);

/** The volume is bound to this very claim, or kept for one of its name. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (name !== metadata.name || namespace !== metadata.namespace) return false;
  return uid === undefined || uid === "" || uid === metadata.uid;
}

/** Key of the claim that a volume is bound to or kept for. */
export function claimKeyOf({ spec }: PersistentVolume): string | undefined {
  return spec?.claimRef && refKey(spec.claimRef.namespace, spec.claimRef.name ?? "");
}

/** Index of volumes by the claim that they are bound to or kept for; under "" are those that nobody has. */
export const VOLUMES_OF_CLAIM = "claim";

export const claimOfVolume = (volume: PersistentVolume): readonly string[] => [claimKeyOf(volume) ?? ""];

/** Whether one node at a time can have a volume of these modes. Where no mode is told, the driver has to know. */
export function isForOneNode(accessModes: readonly string[] | undefined): boolean {
  if (accessModes === undefined || accessModes.length === 0) return false;
  return !accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}
