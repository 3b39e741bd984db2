import { isRestartableInitContainer } from "../api/pod.ts";
import type { ServicePort } from "../api/types/core-v1.gen.ts";
import type { BackingPod } from "./backing-pods.ts";

/** The number that a port of a Service stands for in this pod; undefined when the pod has no port of that name. */
export function podPort(pod: BackingPod, { targetPort = 0, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (pod.spec?.initContainers ?? []).filter(isRestartableInitContainer);
  const containers = [...(pod.spec?.containers ?? []), ...sidecars];
  for (const container of containers) {
    const port = container.ports?.find((each) => each.name === targetPort && each.protocol === protocol);
    if (port !== undefined) return port.containerPort;
  }
  return undefined;
}
