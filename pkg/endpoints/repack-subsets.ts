import { forEachInSteps, inOneGo, sortInSteps, type Steps } from "../api/steps.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../api/types/core-v1.gen.ts";
import { Fnv128a, fnv128a } from "./fnv128a.ts";
import { subsetPortText, subsetTextParts } from "./go-text.ts";

/** Each address once, with a number by which the groups know it. */
interface KnownAddresses {
  readonly numbers: Map<string, number>;
  readonly byNumber: EndpointAddress[];
}

interface PortGroup {
  /** Undefined for addresses without ports. */
  readonly port: EndpointPort | undefined;
  /** By the number of an address, whether it is ready. */
  readonly ready: Map<number, boolean>;
}

/**
 * The one form of all subsets that say the same: ports with the same addresses share a subset, an address comes once in
 * each, and the order follows from the content. E.g. a at 80, b at 80, a at 443 and b at 443 are one subset of two
 * addresses and two ports.
 */
export function* repackInSteps(subsets: readonly EndpointSubset[]): Steps<readonly EndpointSubset[]> {
  const addresses: KnownAddresses = { numbers: new Map(), byNumber: [] };
  const groups = new Map<string, PortGroup>();
  yield* forEachInSteps(subsets, (subset) => {
    if (!subset.addresses?.length && !subset.notReadyAddresses?.length) return;
    const ports: readonly (EndpointPort | undefined)[] = subset.ports?.length ? subset.ports : [undefined];
    for (const port of ports) addSubset(subset, groupFor(groups, port), addresses);
  });
  const packed: EndpointSubset[] = [];
  for (const members of yield* alike([...groups.values()])) packed.push(yield* pack(members, addresses));
  return yield* inOrder(packed);
}

export function repackSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  return inOneGo(repackInSteps(subsets));
}

function groupFor(groups: Map<string, PortGroup>, port: EndpointPort | undefined): PortGroup {
  const key = port === undefined ? "" : subsetPortText(port);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group = { port, ready: new Map<number, boolean>() };
  groups.set(key, group);
  return group;
}

/** Not ready wins where an address is given as both. Of an address that is given twice the first one counts. */
function addSubset(
  subset: EndpointSubset,
  { ready }: PortGroup,
  { numbers, byNumber }: KnownAddresses,
): void {
  const add = (address: EndpointAddress, isReady: boolean): void => {
    const identity = identityOf(address);
    let number = numbers.get(identity);
    if (number === undefined) {
      number = byNumber.push(address) - 1;
      numbers.set(identity, number);
    }
    ready.set(number, isReady && ready.get(number) !== false);
  };
  for (const address of subset.addresses ?? []) add(address, true);
  for (const address of subset.notReadyAddresses ?? []) add(address, false);
}

/** Groups with the same addresses, which are ready in all of them or in none. */
function* alike(groups: readonly PortGroup[]): Steps<Iterable<readonly PortGroup[]>> {
  if (groups.length < 2) return groups.map((only) => [only]);
  const byContent = new Map<string, PortGroup[]>();
  for (const group of groups) {
    const numbers = Uint32Array.from(group.ready, ([number, isReady]) => 2 * number + Number(isReady));
    const content = numbers.sort().join();
    const members = byContent.get(content);
    if (members === undefined) byContent.set(content, [group]);
    else members.push(group);
    yield;
  }
  return byContent.values();
}

function* pack(members: readonly PortGroup[], { byNumber }: KnownAddresses): Steps<EndpointSubset> {
  const ready: EndpointAddress[] = [];
  const notReady: EndpointAddress[] = [];
  yield* forEachInSteps(members[0]?.ready ?? [], ([number, isReady]) => {
    const address = byNumber[number];
    if (address !== undefined) (isReady ? ready : notReady).push(address);
  });
  const addresses = yield* sortInSteps(ready, compareAddresses);
  const notReadyAddresses = yield* sortInSteps(notReady, compareAddresses);
  const ports = members.flatMap(({ port }) => (port === undefined ? [] : [port]));
  return {
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports: portsInOrder(ports) }),
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

function portsInOrder(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports;
  return byHash(ports.map((port) => ({ value: port, hash: fnv128a(subsetPortText(port)) })));
}

function* inOrder(subsets: readonly EndpointSubset[]): Steps<readonly EndpointSubset[]> {
  if (subsets.length < 2) return subsets;
  const hashed: Hashed<EndpointSubset>[] = [];
  for (const value of subsets) {
    const hash = new Fnv128a();
    yield* forEachInSteps(subsetTextParts(value), (part) => void hash.add(part));
    hashed.push({ value, hash: hash.digest() });
  }
  return byHash(hashed);
}

interface Hashed<T> {
  readonly value: T;
  readonly hash: string;
}

function byHash<T>(hashed: readonly Hashed<T>[]): readonly T[] {
  return hashed.toSorted((one, other) => compareTexts(one.hash, other.hash)).map(({ value }) => value);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
