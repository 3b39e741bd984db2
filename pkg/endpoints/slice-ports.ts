import type { EndpointPort } from "../api/types/discovery-v1.gen.ts";
import { fnv128a } from "./fnv128a.ts";
import { slicePortText, slicePortsText } from "./go-text.ts";

/** The ports in their order on the wire. */
export function inWireOrder(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports;
  const hashed = ports.map((port) => ({ port, hash: fnv128a(slicePortText(port)) }));
  return hashed.sort((one, other) => compare(one.hash, other.hash)).map(({ port }) => port);
}

/** Equal for the same ports in whatever order. Slices without ports and with an empty list of them are alike. */
export function portsKey(ports: readonly EndpointPort[] | null | undefined): string {
  return slicePortsText(inWireOrder(ports ?? []));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
