import { resources } from "../../api/resources.ts";
import type { EndpointSlice } from "../../api/types/discovery-v1.gen.ts";
import type { Random } from "../../clock/random.ts";
import { randomBelow } from "../../clock/random.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { WebhookCallError } from "./webhook-call-error.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

const SERVICE_NAME = "kubernetes.io/service-name";

/**
 * Where a service leads to. There is no network behind the addresses of services here: it is one of its ready endpoints
 * that is asked. upstream: apiserver/pkg/util/proxy/proxy.go#ResolveEndpoint
 */
export function serviceEndpoint(reader: ClusterReader, random: Random, wanted: ServiceName): Address {
  const { namespace, name, port } = wanted;
  const service = reader.get(resources.services, namespace, name);
  if (service === undefined) throw new WebhookCallError(`service ${JSON.stringify(name)} not found`);
  const { type = "", externalName = "", ports = [], ipFamilies = [] } = service.spec ?? {};
  if (type === "ExternalName") return { host: externalName, port };
  const servicePort = ports.find((one) => one.port === port);
  if (servicePort === undefined)
    throw new WebhookCallError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const slices = reader
    .list(resources.endpointSlices, namespace)
    .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name)
    .toSorted((left, right) => rank(left, ipFamilies[0]) - rank(right, ipFamilies[0]));
  for (const slice of slices) {
    const found = readyAddress(slice, servicePort.name ?? "", random);
    if (found !== undefined) return found;
  }
  throw new WebhookCallError(`no endpoints available for service ${JSON.stringify(name)}`);
}

/** Those of the service's first family come first. */
function rank({ addressType }: EndpointSlice, family: string | undefined): number {
  return addressType === family ? 0 : 1;
}

function readyAddress(
  { ports, endpoints }: EndpointSlice,
  portName: string,
  random: Random,
): Address | undefined {
  const port = ports?.find((one) => (one.name ?? "") === portName)?.port;
  if (port === undefined) return undefined;
  const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  const host = ready[randomBelow(random, ready.length)]?.addresses[0];
  return host === undefined ? undefined : { host, port };
}
