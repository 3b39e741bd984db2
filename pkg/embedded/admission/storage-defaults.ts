import type { Resource } from "../../api/resource.ts";
import { resources } from "../../api/resources.ts";
import { specOf } from "../kinds/define-kind.ts";
import { present, stringMap, strings } from "../kinds/json.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft } from "./plugin.ts";

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
