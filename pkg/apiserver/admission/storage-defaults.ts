import type { Resource } from "../../api/resource.ts";
import { resources } from "../../api/resources.ts";
import type { PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import { specOf } from "../kinds/define-kind.ts";
import { present, stringMap, strings } from "../../api/json.ts";
import { readQuantity } from "../kinds/quantities.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft, isResource } from "./plugin.ts";

const protections: readonly (readonly [Resource, string])[] = [
  [resources.persistentVolumes, "kubernetes.io/pv-protection"],
  [resources.persistentVolumeClaims, "kubernetes.io/pvc-protection"],
  [resources.volumeAttributesClasses, "kubernetes.io/vac-protection"],
];

/** Storage in use outlives its deletion: a controller takes the finalizer off when nobody needs it. */
export const storageProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  mutate(attributes, draft) {
    for (const [resource, finalizer] of protections) {
      const created = createdDraft(attributes, resource, draft);
      if (created === undefined) continue;
      const finalizers = strings(created.metadata, "finalizers");
      if (!finalizers.includes(finalizer)) created.metadata["finalizers"] = [...finalizers, finalizer];
    }
  },
};

const defaultClassKeys = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** A claim that names no class gets the default one: the newest, should there be several. */
export function defaultStorageClass(reader: ClusterReader): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    mutate(attributes, draft) {
      const claim = createdDraft(attributes, resources.persistentVolumeClaims, draft);
      if (claim === undefined) return;
      const spec = specOf(claim);
      const annotations = stringMap(claim.metadata, "annotations");
      if (present(spec, "storageClassName")) return;
      if (annotations["volume.beta.kubernetes.io/storage-class"] !== undefined) return;
      const defaults = reader
        .list(resources.storageClasses)
        .filter(({ metadata }) => defaultClassKeys.some((key) => metadata.annotations?.[key] === "true"))
        .toSorted((left, right) => {
          const a = left.metadata.creationTimestamp ?? "";
          const b = right.metadata.creationTimestamp ?? "";
          if (a !== b) return a < b ? 1 : -1;
          return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1;
        });
      const [chosen] = defaults;
      if (chosen !== undefined) spec["storageClassName"] = chosen.metadata.name;
    },
  };
}

/** A claim grows only where its class says that its volumes can. */
export function claimResize(reader: ClusterReader): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    validate(attributes, object) {
      if (attributes.operation !== "UPDATE" || attributes.subresource !== "") return;
      if (!isResource(attributes, resources.persistentVolumeClaims)) return;
      const claim: PersistentVolumeClaim | undefined = object;
      const before: PersistentVolumeClaim | undefined = attributes.before;
      const size = readQuantity(claim?.spec?.resources?.requests?.["storage"]);
      const oldSize = readQuantity(before?.spec?.resources?.requests?.["storage"]);
      if (size === undefined || oldSize === undefined || size.compare(oldSize) <= 0) return;
      const refuse = (why: string): never => {
        throw forbidden(resources.persistentVolumeClaims, attributes.refusedName, why);
      };
      if (before?.status?.phase !== "Bound") refuse("Only bound persistent volume claims can be expanded");
      const className = claim?.spec?.storageClassName ?? "";
      const storageClass = className === "" ? undefined : reader.get(resources.storageClasses, "", className);
      if (storageClass?.allowVolumeExpansion === true) return;
      refuse(
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
    },
  };
}
