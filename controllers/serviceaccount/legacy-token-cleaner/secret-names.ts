import type { Container, Pod, Volume } from "../../../pkg/api/types/core-v1.gen.ts";

const containerFields = ["containers", "initContainers", "ephemeralContainers"].flatMap((kind) => [
  `spec.${kind}.envFrom.secretRef.name`,
  `spec.${kind}.env.valueFrom.secretKeyRef.name`,
]);
const volumesWithReference = [
  "cephfs",
  "cinder",
  "flexVolume",
  "rbd",
  "scaleIO",
  "iscsi",
  "storageos",
] as const;

/** What `secretNames` reads of pods. */
export const SECRET_NAME_FIELDS: readonly string[] = [
  "spec.imagePullSecrets.name",
  ...containerFields,
  "spec.volumes.secret.secretName",
  "spec.volumes.azureFile.secretName",
  "spec.volumes.projected.sources.secret.name",
  "spec.volumes.csi.nodePublishSecretRef.name",
  ...volumesWithReference.map((kind) => `spec.volumes.${kind}.secretRef.name`),
];

/** Of the Secrets that a pod refers to, wherever it can. */
export function secretNames({ spec }: Pod): ReadonlySet<string> {
  const { containers = [], initContainers = [], ephemeralContainers = [], volumes = [] } = spec ?? {};
  const names = [
    ...(spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ...[...containers, ...initContainers, ...ephemeralContainers].flatMap(namesInContainer),
    ...volumes.flatMap(namesInVolume),
  ];
  return new Set(names.flatMap((name) => (name ? [name] : [])));
}

function namesInContainer({
  env = [],
  envFrom = [],
}: Pick<Container, "env" | "envFrom">): readonly (string | undefined)[] {
  return [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function namesInVolume(volume: Volume): readonly (string | undefined)[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
    volume.csi?.nodePublishSecretRef?.name,
    ...volumesWithReference.map((kind) => volume[kind]?.secretRef?.name),
  ];
}
