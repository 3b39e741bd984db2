import { child, descend, items, type Json, present, stringMap, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { claimSpecWarnings } from "./amounts.ts";
import { deprecatedLabel, keyWarnings, nodeTermWarnings } from "./node-labels.ts";

const STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class";
const oldAnnotations: Readonly<Record<string, string>> = {
  [STORAGE_CLASS]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const oldSources: Readonly<Record<string, string>> = {
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

function annotationWarnings(draft: Draft, keys: readonly string[]): readonly string[] {
  const annotations = stringMap(draft.metadata, "annotations");
  return keys.flatMap((key) =>
    Object.hasOwn(annotations, key) ? [`metadata.annotations[${key}]: ${oldAnnotations[key] ?? ""}`] : [],
  );
}

export function claimWarnings(draft: Draft): readonly string[] {
  return [...annotationWarnings(draft, [STORAGE_CLASS]), ...claimSpecWarnings(child(draft, "spec"), "spec")];
}

/** upstream: pkg/api/persistentvolume/util.go */
export function volumeWarnings(draft: Draft): readonly string[] {
  const spec = child(draft, "spec");
  const terms = items(descend(draft, "spec", "nodeAffinity", "required"), "nodeSelectorTerms");
  return [
    ...annotationWarnings(draft, Object.keys(oldAnnotations)),
    ...(text(spec, "persistentVolumeReclaimPolicy") === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : []),
    ...terms.flatMap((term, index) =>
      nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`),
    ),
    ...Object.entries(oldSources).flatMap(([key, why]) =>
      present(spec, key) ? [`spec.${key === "storageos" ? "storageOS" : key}: ${why}`] : [],
    ),
  ];
}

export function storageClassWarnings(draft: Draft): readonly string[] {
  return items(draft, "allowedTopologies").flatMap((topology, index) =>
    items(topology, "matchLabelExpressions").flatMap((expression, at) => {
      const why = deprecatedLabel(text(expression, "key"));
      const path = `allowedTopologies[${index}].matchLabelExpressions[${at}].key`;
      return why === undefined ? [] : [`${path}: ${why}`];
    }),
  );
}

export function capacityWarnings(draft: Draft): readonly string[] {
  const topology = child(draft, "nodeTopology");
  return [
    ...items(topology, "matchExpressions").flatMap((expression, index) =>
      keyWarnings(text(expression, "key"), `nodeTopology.matchExpressions[${index}].key`),
    ),
    ...labelWarnings(stringMap(topology, "matchLabels"), (key) => `nodeTopology.matchLabels.${key}`),
  ];
}

export function runtimeClassWarnings(draft: Json): readonly string[] {
  const selector = stringMap(child(draft, "scheduling"), "nodeSelector");
  return labelWarnings(selector, () => "scheduling.nodeSelector");
}

function labelWarnings(
  labels: Readonly<Record<string, string>>,
  pathOf: (key: string) => string,
): readonly string[] {
  return Object.keys(labels).flatMap((key) => {
    const why = deprecatedLabel(key);
    return why === undefined ? [] : [`${pathOf(key)}: ${why}`];
  });
}
