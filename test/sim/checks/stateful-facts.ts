import { SCRIPT_ANNOTATION } from "../../../pkg/cluster/hollow/script.ts";
import { isPodReady } from "../../../pkg/api/pod.ts";
import type { StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../../../pkg/api/types/core-v1.gen.ts";

/** The number behind the last dash of the pod's name. */
export function ordinalOf(pod: Pod): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name ?? "")?.[1] ?? -1);
}

/** The ordinals that a StatefulSet is to have. */
export function ordinalsOf(set: StatefulSet): readonly number[] {
  const start = set.spec?.ordinals?.start ?? 0;
  return Array.from({ length: set.spec?.replicas ?? 1 }, (_, index) => start + index);
}

export function isAsked(set: StatefulSet, ordinal: number): boolean {
  return ordinalsOf(set).includes(ordinal);
}

/** Whether an update may touch the pod of this ordinal: the partition counts from the first one. */
export function isUpdatable(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const place = ordinal - (set.spec?.ordinals?.start ?? 0);
  return type === "RollingUpdate" && place >= (rollingUpdate?.partition ?? 0);
}

/** Whether it was made from the template, as far as users change that. */
export function isOfTemplate(pod: Pod, template: PodTemplateSpec | undefined): boolean {
  return look(pod) === look(template);
}

export function isHealthy(pod: Pod | undefined): boolean {
  return (
    pod !== undefined &&
    pod.metadata.deletionTimestamp === undefined &&
    pod.status?.phase === "Running" &&
    isPodReady(pod)
  );
}

function look(of: PodTemplateSpec | Pod | undefined): string {
  const { containers, terminationGracePeriodSeconds, nodeSelector, tolerations = [] } = of?.spec ?? {};
  const script = of?.metadata?.annotations?.[SCRIPT_ANNOTATION];
  // Others are added to pods by those who make them.
  const own = tolerations.filter(({ key = "" }) => !key.startsWith("node.kubernetes.io/"));
  return JSON.stringify([containers?.[0]?.image, terminationGracePeriodSeconds, nodeSelector, own, script]);
}
