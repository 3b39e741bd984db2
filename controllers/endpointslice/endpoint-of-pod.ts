import { isPodReady } from "../../pkg/api/pod.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { Endpoint, EndpointPort } from "../../pkg/api/types/discovery-v1.gen.ts";
import { hostnameUnder } from "../../pkg/endpoints/backing-pods.ts";
import { parseIp } from "../../pkg/endpoints/ip-address.ts";
import { podPort } from "../../pkg/endpoints/pod-port.ts";
import type { Family } from "./address-families.ts";

export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** What a slice says of a pod; it has no addresses when the pod has none of the family. */
export function endpointOf(pod: Pod, node: Node | undefined, service: Service, family: Family): Endpoint {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  // Old readers know only `ready`: for them a pod that is being deleted must not be ready.
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const nodeName = pod.spec?.nodeName ?? "";
  const zone = node?.metadata.labels?.[ZONE_LABEL] ?? "";
  const hostname = hostnameUnder(service, pod);
  return {
    addresses: addressesOf(pod, family),
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== "" && { nodeName }),
    ...(zone !== "" && { zone }),
  };
}

function addressesOf(pod: Pod, family: Family): readonly string[] {
  return (pod.status?.podIPs ?? [])
    .map(({ ip }) => parseIp(ip))
    .filter((address) => address?.family === family)
    .map((address) => address?.text ?? "");
}

/** The Service's ports in this pod. Ports that the pod does not have are left out. */
export function portsOf(service: Service, pod: Pod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = podPort(pod, port);
    if (number === undefined) return [];
    const { name = "", protocol = "", appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}
