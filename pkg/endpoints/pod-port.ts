import { isRestartableInitContainer } from "../api/pod.ts";
import type { Container, Pod, ServicePort } from "../api/types/core-v1.gen.ts";

/** The number that a port of a Service stands for in this pod; undefined when the pod has no port of that name. */
export function podPort(pod: Pod, { targetPort = 0, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (pod.spec?.initContainers ?? []).filter(isRestartableInitContainer);
  const containers: readonly Container[] = [...(pod.spec?.containers ?? []), ...sidecars];
  for (const container of containers) {
    const port = container.ports?.find((each) => each.name === targetPort && each.protocol === protocol);
    if (port !== undefined) return port.containerPort;
  }
  return undefined;
}
