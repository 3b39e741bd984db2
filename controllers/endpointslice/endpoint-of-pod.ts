import { isPodReady } from "../../pkg/api/pod.ts";
import type { Endpoint, EndpointPort } from "../../pkg/api/types/discovery-v1.gen.ts";
import { hostnameUnder, type BackingPod } from "../../pkg/endpoints/backing-pods.ts";
import { parseIp } from "../../pkg/endpoints/ip-address.ts";
import { podPort } from "../../pkg/endpoints/pod-port.ts";
import type { Family } from "./address-families.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { CachedService, CachedNode } from "./fields.ts";

export const ZONE_LABEL = "topology.kubernetes.io/zone";

/** What a slice says of a pod; it has no addresses when the pod has none of the family. */
export function endpointOf(
  pod: Stored<BackingPod>,
  node: CachedNode | undefined,
  service: CachedService,
  family: Family,
): Endpoint {
  const { namespace, name, uid } = pod.metadata;
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

function addressesOf(pod: BackingPod, family: Family): readonly string[] {
  return (pod.status?.podIPs ?? [])
    .map(({ ip }) => parseIp(ip))
    .filter((address) => address?.family === family)
    .map((address) => address?.text ?? "");
}

/** The Service's ports in this pod. Ports that the pod does not have are left out. */
export function portsOf(service: CachedService, pod: BackingPod): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = podPort(pod, port);
    if (number === undefined) return [];
    const { name = "", protocol = "", appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}
