import { isPodReady } from "../../pkg/api/pod.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  ServicePort,
} from "../../pkg/api/types/core-v1.gen.ts";
import {
  backsServices,
  hasClusterIp,
  hostnameUnder,
  type BackingPod,
  type BackedService,
} from "../../pkg/endpoints/backing-pods.ts";
import { isIpv6, parseIp } from "../../pkg/endpoints/ip-address.ts";
import { podPort } from "../../pkg/endpoints/pod-port.ts";
import { repackInSteps } from "../../pkg/endpoints/repack-subsets.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** The pods that back a Service, by the ports at which they do. */
export function* desiredSubsets(
  service: BackedService,
  pods: readonly Stored<BackingPod>[],
): Steps<readonly EndpointSubset[]> {
  const toleratesUnready = service.spec?.publishNotReadyAddresses === true;
  const subsets: EndpointSubset[] = [];
  yield* forEachInSteps(pods, (pod) => {
    if (!backsServices(pod, toleratesUnready)) return;
    const address = addressOf(service, pod);
    if (address === undefined) return;
    const list = toleratesUnready || isPodReady(pod) ? "addresses" : "notReadyAddresses";
    for (const ports of portsOf(service, pod)) {
      subsets.push({ [list]: [address], ...(ports.length > 0 && { ports }) });
    }
  });
  return yield* repackInSteps(subsets);
}

/** One list for each subset that the pod is in. */
function portsOf(service: BackedService, pod: BackingPod): readonly (readonly EndpointPort[])[] {
  const ports = service.spec?.ports ?? [];
  // Without ports only a headless Service has endpoints: names in DNS need none.
  if (ports.length === 0) return service.spec?.clusterIP === "None" ? [[]] : [];
  return ports.flatMap((port) => {
    const number = podPort(pod, port);
    return number === undefined ? [] : [[endpointPort(port, number)]];
  });
}

function endpointPort({ name = "", protocol, appProtocol }: ServicePort, number: number): EndpointPort {
  return {
    ...(name !== "" && { name }),
    port: number,
    ...(protocol !== undefined && { protocol }),
    ...(appProtocol !== undefined && { appProtocol }),
  };
}

/** Undefined when the pod has no address of the Service's (first) family. */
export function addressOf(service: BackedService, pod: Stored<BackingPod>): EndpointAddress | undefined {
  const family = familyOf(service, pod);
  const ips = (pod.status?.podIPs ?? []).map(({ ip }) => parseIp(ip));
  const address = ips.find((each) => each?.family === family);
  if (address === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const hostname = hostnameUnder(service, pod);
  return {
    ip: address.text,
    ...(hostname !== undefined && { hostname }),
    nodeName: pod.spec?.nodeName ?? "",
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** API servers fill in ipFamilies; where they are missing all the same, addresses tell. */
function familyOf(service: BackedService, pod: BackingPod): string {
  const [family] = service.spec?.ipFamilies ?? [];
  if (family !== undefined) return family;
  const witness = hasClusterIp(service) ? service.spec?.clusterIP : pod.status?.podIP;
  return isIpv6(witness ?? "") ? "IPv6" : "IPv4";
}
