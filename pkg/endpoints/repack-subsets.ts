import type { EndpointAddress, EndpointPort, EndpointSubset } from "../api/types/core-v1.gen.ts";
import { fnv128a } from "./fnv128a.ts";
import { subsetPortText, subsetText } from "./go-text.ts";

/** By the identity of an address. */
type Addresses = Map<string, EndpointAddress>;

interface PortGroup {
  /** Undefined for addresses without ports. */
  readonly port: EndpointPort | undefined;
  /** By the identity of an address, whether it is ready. */
  readonly ready: Map<string, boolean>;
}

/**
 * The one form of all subsets that say the same: ports with the same addresses share a subset, an address comes once in
 * each, and the order follows from the content. E.g. a at 80, b at 80, a at 443 and b at 443 are one subset of two
 * addresses and two ports.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const addresses: Addresses = new Map();
  const groups = new Map<string, PortGroup>();
  for (const subset of subsets) {
    if (!subset.addresses?.length && !subset.notReadyAddresses?.length) continue;
    const ports: readonly (EndpointPort | undefined)[] = subset.ports?.length ? subset.ports : [undefined];
    for (const port of ports) addSubset(subset, groupFor(groups, port), addresses);
  }
  const alike = Map.groupBy(groups.values(), ({ ready }) => JSON.stringify([...ready].toSorted(byIdentity)));
  const packed = [...alike.values()].map((members) => pack(members, addresses));
  return inOrder(packed, subsetText);
}

function groupFor(groups: Map<string, PortGroup>, port: EndpointPort | undefined): PortGroup {
  const key = port === undefined ? "" : subsetPortText(port);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group = { port, ready: new Map<string, boolean>() };
  groups.set(key, group);
  return group;
}

/** Not ready wins where an address is given as both. Of an address that is given twice the first one counts. */
function addSubset(subset: EndpointSubset, { ready }: PortGroup, addresses: Addresses): void {
  const add = (address: EndpointAddress, isReady: boolean): void => {
    const identity = identityOf(address);
    if (!addresses.has(identity)) addresses.set(identity, address);
    ready.set(identity, isReady && ready.get(identity) !== false);
  };
  for (const address of subset.addresses ?? []) add(address, true);
  for (const address of subset.notReadyAddresses ?? []) add(address, false);
}

function pack(members: readonly PortGroup[], known: Addresses): EndpointSubset {
  const ready = members[0]?.ready ?? new Map<string, boolean>();
  const inState = (state: boolean): readonly EndpointAddress[] =>
    [...ready]
      .filter(([, isReady]) => isReady === state)
      .map(([identity]) => known.get(identity))
      .filter((address) => address !== undefined)
      .sort(compareAddresses);
  const addresses = inState(true);
  const notReadyAddresses = inState(false);
  const ports = members.flatMap(({ port }) => (port === undefined ? [] : [port]));
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: inOrder(ports, subsetPortText) }),
  };
}

/** The pods of one node's network share an address. */
function identityOf({ ip, targetRef }: EndpointAddress): string {
  return `${ip} ${targetRef?.uid ?? ""}`;
}

function compareAddresses(one: EndpointAddress, other: EndpointAddress): number {
  if (one.ip !== other.ip) return one.ip < other.ip ? -1 : 1;
  if (one.targetRef === undefined || other.targetRef === undefined) {
    return Number(one.targetRef !== undefined) - Number(other.targetRef !== undefined);
  }
  return compareTexts(one.targetRef.uid ?? "", other.targetRef.uid ?? "");
}

function byIdentity([one]: readonly [string, boolean], [other]: readonly [string, boolean]): number {
  return compareTexts(one, other);
}

function inOrder<T>(values: readonly T[], text: (value: T) => string): readonly T[] {
  if (values.length < 2) return values;
  const hashed = values.map((value) => ({ value, hash: fnv128a(text(value)) }));
  return hashed.sort((one, other) => compareTexts(one.hash, other.hash)).map(({ value }) => value);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
