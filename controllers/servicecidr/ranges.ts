import { type Cidr, type Family, lastOf, numberOfIp, parseCidr } from "../../pkg/endpoints/cidr.ts";
import { FAMILY_LABEL, isGiven } from "../../pkg/endpoints/given-address.ts";
import { parseIp } from "../../pkg/endpoints/ip-address.ts";
import { compareInt64 } from "../../pkg/api/int64.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { ServiceCIDR } from "../../pkg/api/types/networking-v1.gen.ts";

/** What is read of ServiceCIDRs. */
export const RANGE_FIELDS = ["spec.cidrs", "status.conditions"] as const;
export type CachedRange = Projected<ServiceCIDR, typeof RANGE_FIELDS>;

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

/** Addresses in a row; none when the first is behind the last. */
export interface Span {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** The address of an IPAddress that the API server gave to a Service; undefined for those that others manage. */
export function addressOfService(object: PartialObject): Address | undefined {
  const { name = "", labels = {} } = object.metadata;
  if (!isGiven(object)) return undefined;
  const ip = parseIp(name);
  if (ip === undefined || labels[FAMILY_LABEL] !== ip.family) return undefined;
  return { family: ip.family, value: numberOfIp(ip.text, ip.family) };
}

export function cidrsOf({ spec }: CachedRange): readonly Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** The addresses of a range that Services are given: not the first, and of IPv4 not the last, which is for broadcasts. */
export function givenOf(cidr: Cidr): Span {
  const { family, base } = cidr;
  const last = lastOf(cidr);
  return { family, first: base + 1n, last: family === "IPv4" ? last - 1n : last };
}

export function gives(cidr: Cidr, { family, value }: Address): boolean {
  const { first, last } = givenOf(cidr);
  return cidr.family === family && first <= value && value <= last;
}

/** What is left of the addresses when the others are taken out. */
export function without(span: Span, others: readonly Span[]): readonly Span[] {
  const left: Span[] = [];
  let { first } = span;
  const inTheWay = others.filter((other) => other.family === span.family && other.first <= span.last);
  for (const other of inTheWay.toSorted((a, b) => compareInt64(a.first, b.first))) {
    if (first < other.first) left.push({ ...span, first, last: other.first - 1n });
    if (first <= other.last) first = other.last + 1n;
  }
  return first <= span.last ? [...left, { ...span, first }] : left;
}
