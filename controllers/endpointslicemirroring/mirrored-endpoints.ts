import type { EndpointAddress, EndpointPort, Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { Endpoint, EndpointPort as SlicePort } from "../../pkg/api/types/discovery-v1.gen.ts";
import { EndpointSet } from "../../pkg/endpoints/endpoint-set.ts";
import { parseIp } from "../../pkg/endpoints/ip-address.ts";
import { repackSubsets } from "../../pkg/endpoints/repack-subsets.ts";
import { inWireOrder, portsKey } from "../../pkg/endpoints/slice-ports.ts";

export type Family = "IPv4" | "IPv6";

/** The endpoints of one family at one set of ports: one slice, if there are any. */
export interface Group {
  readonly family: Family;
  readonly ports: readonly SlicePort[];
  readonly endpoints: EndpointSet;
}

export interface Mirrored {
  readonly groups: ReadonlyMap<string, Group>;
  /** How many addresses no slice will have, those that are not valid included. */
  readonly skipped: number;
  readonly invalid: number;
}

export function groupKey(family: string, ports: readonly SlicePort[] | null | undefined): string {
  return `${family} ${portsKey(ports)}`;
}

/** What slices will say of Endpoints that somebody else wrote: of each subset no more than `maxPerSubset` addresses. */
export function mirrorSubsets({ subsets = [] }: Endpoints, maxPerSubset: number): Mirrored {
  const groups = new Map<string, Group>();
  let [skipped, invalid] = [0, 0];
  for (const subset of repackSubsets(subsets)) {
    const ports = inWireOrder((subset.ports ?? []).map(slicePort));
    for (const family of ["IPv4", "IPv6"] as const) {
      const key = groupKey(family, ports);
      if (!groups.has(key)) groups.set(key, { family, ports, endpoints: new EndpointSet() });
    }
    const addresses = [
      ...(subset.addresses ?? []).map((address) => ({ address, ready: true })),
      ...(subset.notReadyAddresses ?? []).map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of addresses) {
      if (added >= maxPerSubset) break;
      const mirrored = mirrorAddress(address, ready);
      if (mirrored === undefined) {
        invalid++;
        continue;
      }
      groups.get(groupKey(mirrored.family, ports))?.endpoints.add(mirrored.endpoint);
      added++;
    }
    skipped += addresses.length - added;
  }
  return { groups, skipped, invalid };
}

/** Undefined when it is no IP address. */
export function mirrorAddress(
  { ip, hostname = "", nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): { readonly family: Family; readonly endpoint: Endpoint } | undefined {
  const address = parseIp(ip);
  if (address === undefined) return undefined;
  const endpoint: Endpoint = {
    addresses: [address.text],
    conditions: { ready },
    ...(hostname !== "" && { hostname }),
    ...(targetRef !== undefined && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  };
  return { family: address.family, endpoint };
}

function slicePort({ name = "", port, protocol = "", appProtocol }: EndpointPort): SlicePort {
  return { name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) };
}
