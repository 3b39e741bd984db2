// IP addresses and networks, as Go's netip has them.

import { quotedAsInGo } from "../../api/go-quote.ts";
import { type FunctionOverload, opaqueTypes, overload } from "../declarations.ts";
import { noSuchOverload } from "../operations.ts";
import type { Type } from "../types.ts";
import { EvaluationError, type OpaqueValue, type Value } from "../values.ts";
import { type Address, parseAddress } from "./address.ts";
import { asInstance, asText } from "./arguments.ts";

function opaqueType(name: string): Type {
  const type = opaqueTypes.get(name);
  if (type === undefined) throw new Error(`${name} is not declared`);
  return type;
}

class IpValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = opaqueType("net.IP");

  /** With its bits as a number, of 32 or 128. */
  readonly bits: bigint;
  readonly size: 4 | 16;

  constructor(bits: bigint, size: 4 | 16) {
    this.bits = bits;
    this.size = size;
  }

  get width(): number {
    return this.size * 8;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && other.size === this.size && other.bits === this.bits;
  }

  /** The first bits of it, as a number. */
  prefix(length: number): bigint {
    return this.bits >> BigInt(this.width - length);
  }

  toString(): string {
    if (this.size === 4)
      return [24n, 16n, 8n, 0n].map((shift) => String((this.bits >> shift) & 255n)).join(".");
    const groups = Array.from({ length: 8 }, (_, index) =>
      ((this.bits >> BigInt(112 - index * 16)) & 65_535n).toString(16),
    );
    return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
  }
}

class CidrValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = opaqueType("net.CIDR");

  readonly ip: IpValue;
  readonly length: number;

  constructor(ip: IpValue, length: number) {
    this.ip = ip;
    this.length = length;
  }

  get size(): number {
    return Math.ceil(this.length / 8);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof CidrValue && other.length === this.length && other.ip.equals(this.ip);
  }

  contains(ip: IpValue): boolean {
    return ip.size === this.ip.size && ip.prefix(this.length) === this.ip.prefix(this.length);
  }

  toString(): string {
    return `${this.ip.toString()}/${this.length}`;
  }
}

/** The address; a text says why it is none. */
function parseIp(text: string): IpValue | string {
  const read = parseAddress(text);
  const quoted = quotedAsInGo(text);
  if (typeof read === "string")
    return `IP Address ${quoted} parse error during conversion from string: ${read}`;
  if (read.zone !== "") return `IP address ${quoted} with zone value is not allowed`;
  return isMapped(read) ? notMapped(text) : new IpValue(read.bits, read.size);
}

const isMapped = ({ bits, size }: Address): boolean => size === 16 && bits >> 32n === 0xffffn;
const notMapped = (text: string): string => `IPv4-mapped IPv6 address ${quotedAsInGo(text)} is not allowed`;

function toIp(value: Value | undefined): IpValue {
  const ip = parseIp(asText(value));
  if (typeof ip === "string") throw new EvaluationError(ip);
  return ip;
}

/** upstream: net/netip#ParsePrefix */
function parseCidr(text: string): CidrValue | string {
  const problem = (what: string): string =>
    `network address parse error during conversion from string: netip.ParsePrefix(${quotedAsInGo(text)}): ${what}`;
  const slash = text.lastIndexOf("/");
  if (slash === -1) return problem("no '/'");
  const read = parseAddress(text.slice(0, slash));
  if (typeof read === "string") return problem(read);
  if (read.zone !== "") return problem("IPv6 zones cannot be present in a prefix");
  const length = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]*)$/.test(length)) return problem(`bad bits after slash: ${quotedAsInGo(length)}`);
  if (Number(length) > read.size * 8) return problem("prefix length out of range");
  return isMapped(read) ? notMapped(text) : new CidrValue(new IpValue(read.bits, read.size), Number(length));
}

/** upstream: apiserver/pkg/cel/library/cidr.go#cidrContainsIPString takes what is no address for another type. */
function givenIp(value: Value | undefined): IpValue {
  const ip = parseIp(asText(value));
  if (typeof ip === "string") throw noSuchOverload();
  return ip;
}

function toCidr(value: Value | undefined): CidrValue {
  const cidr = parseCidr(asText(value));
  if (typeof cidr === "string")
    throw new EvaluationError(`network address parse error during conversion from string: ${cidr}`);
  return cidr;
}

const asIp = (value: Value | undefined): IpValue => asInstance(value, IpValue);
const asCidr = (value: Value | undefined): CidrValue => asInstance(value, CidrValue);

function holds(outer: Value | undefined, inner: CidrValue): boolean {
  const cidr = asCidr(outer);
  return cidr.length <= inner.length && cidr.contains(inner.ip);
}

function masked(value: Value | undefined): CidrValue {
  const { ip, length } = asCidr(value);
  return new CidrValue(new IpValue(ip.prefix(length) << BigInt(ip.width - length), ip.size), length);
}

const within = (ip: IpValue, cidr: string): boolean => {
  const range = parseCidr(cidr);
  return typeof range !== "string" && range.contains(ip);
};
const withinAny =
  (...cidrs: readonly string[]) =>
  (value: Value | undefined): boolean =>
    cidrs.some((cidr) => within(asIp(value), cidr));

const isUnspecified = withinAny("0.0.0.0/32", "::/128");
const isLoopback = withinAny("127.0.0.0/8", "::1/128");
const isLinkLocalUnicast = withinAny("169.254.0.0/16", "fe80::/10");
const isMulticast = withinAny("224.0.0.0/4", "ff00::/8");
const isBroadcast = withinAny("255.255.255.255/32");

export const networkOverloads: readonly FunctionOverload[] = [
  overload("string_to_ip", "ip(string): net.IP", toIp),
  overload("is_ip", "isIP(string): bool", (text) => typeof parseIp(asText(text)) !== "string"),
  overload(
    "ip_is_canonical",
    "ip.isCanonical(string): bool",
    (text) => toIp(text).toString() === asText(text),
  ),
  overload("ip_family", "(net.IP).family(): int", (ip) => (asIp(ip).size === 4 ? 4n : 6n)),
  overload("ip_is_unspecified", "(net.IP).isUnspecified(): bool", isUnspecified),
  overload("ip_is_loopback", "(net.IP).isLoopback(): bool", isLoopback),
  overload(
    "ip_is_link_local_multicast",
    "(net.IP).isLinkLocalMulticast(): bool",
    // Of IPv6 the scope is in the last four bits of the second byte.
    (ip) =>
      within(asIp(ip), "224.0.0.0/24") ||
      (asIp(ip).size === 16 && (asIp(ip).prefix(16) & 0xff0fn) === 0xff02n),
  ),
  overload("ip_is_link_local_unicast", "(net.IP).isLinkLocalUnicast(): bool", isLinkLocalUnicast),
  overload(
    "ip_is_global_unicast",
    "(net.IP).isGlobalUnicast(): bool",
    (ip) => ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((is) => is(ip)),
  ),
  overload("ip_to_string", "string(net.IP): string", (ip) => asIp(ip).toString()),
  overload("string_to_cidr", "cidr(string): net.CIDR", toCidr),
  overload("is_cidr", "isCIDR(string): bool", (text) => typeof parseCidr(asText(text)) !== "string"),
  overload("cidr_contains_ip_string", "(net.CIDR).containsIP(string): bool", (cidr, text) =>
    asCidr(cidr).contains(givenIp(text)),
  ),
  overload("cidr_contains_ip_ip", "(net.CIDR).containsIP(net.IP): bool", (cidr, ip) =>
    asCidr(cidr).contains(asIp(ip)),
  ),
  overload("cidr_contains_cidr_string", "(net.CIDR).containsCIDR(string): bool", (cidr, text) =>
    holds(cidr, toCidr(text)),
  ),
  overload("cidr_contains_cidr", "(net.CIDR).containsCIDR(net.CIDR): bool", (cidr, other) =>
    holds(cidr, asCidr(other)),
  ),
  overload("cidr_ip", "(net.CIDR).ip(): net.IP", (cidr) => asCidr(cidr).ip),
  overload("cidr_prefix_length", "(net.CIDR).prefixLength(): int", (cidr) => BigInt(asCidr(cidr).length)),
  overload("cidr_masked", "(net.CIDR).masked(): net.CIDR", masked),
  overload("cidr_to_string", "string(net.CIDR): string", (cidr) => asCidr(cidr).toString()),
];
