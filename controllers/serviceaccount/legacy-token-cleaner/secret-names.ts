import type { PartOf } from "../../../pkg/api/projected.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";

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
export const SECRET_NAME_FIELDS = [
  "spec.imagePullSecrets.name",
  "spec.containers.envFrom.secretRef.name",
  "spec.containers.env.valueFrom.secretKeyRef.name",
  "spec.initContainers.envFrom.secretRef.name",
  "spec.initContainers.env.valueFrom.secretKeyRef.name",
  "spec.ephemeralContainers.envFrom.secretRef.name",
  "spec.ephemeralContainers.env.valueFrom.secretKeyRef.name",
  "spec.volumes.secret.secretName",
  "spec.volumes.azureFile.secretName",
  "spec.volumes.projected.sources.secret.name",
  "spec.volumes.csi.nodePublishSecretRef.name",
  "spec.volumes.cephfs.secretRef.name",
  "spec.volumes.cinder.secretRef.name",
  "spec.volumes.flexVolume.secretRef.name",
  "spec.volumes.rbd.secretRef.name",
  "spec.volumes.scaleIO.secretRef.name",
  "spec.volumes.iscsi.secretRef.name",
  "spec.volumes.storageos.secretRef.name",
] as const;

type PodWithSecretNames = PartOf<Pod, (typeof SECRET_NAME_FIELDS)[number]>;
type Spec = NonNullable<PodWithSecretNames["spec"]>;

/** Of the Secrets that a pod refers to, wherever it can. */
export function secretNames({ spec }: PodWithSecretNames): ReadonlySet<string> {
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
}: Spec["containers"][number]): readonly (string | undefined)[] {
  return [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function namesInVolume(volume: NonNullable<Spec["volumes"]>[number]): readonly (string | undefined)[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
    volume.csi?.nodePublishSecretRef?.name,
    ...volumesWithReference.map((kind) => volume[kind]?.secretRef?.name),
  ];
}
