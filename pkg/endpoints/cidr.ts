import { parseIp } from "./ip-address.ts";

/** A range of addresses: those whose first `length` bits are the same. */
export interface Cidr {
  readonly family: "IPv4" | "IPv6";
  /** The first address as a number: the bits behind the prefix are 0. */
  readonly base: bigint;
  readonly length: number;
}

export type Family = Cidr["family"];

export function widthOf(family: Family): number {
  return family === "IPv4" ? 32 : 128;
}

/**
 * Reads "10.0.0.0/16" as leniently as parseIp reads addresses; undefined when it is none. Bits behind the prefix may be
 * set and are dropped. An IPv4 range in IPv6 clothes (::ffff:10.0.0.0/112) is IPv4.
 */
export function parseCidr(given: string): Cidr | undefined {
  const [text = "", digits = "", ...rest] = given.split("/");
  const address = parseIp(text);
  if (address === undefined || rest.length > 0 || !/^\d+$/.test(digits)) return undefined;
  const { family } = address;
  const width = widthOf(family);
  const length = Number(digits) - (family === "IPv4" && text.includes(":") ? 96 : 0);
  if (length < 0 || length > width) return undefined;
  const hostBits = BigInt(width - length);
  return { family, base: (numberOfIp(address.text, family) >> hostBits) << hostBits, length };
}

/** As Go writes it. */
export function formatCidr({ family, base, length }: Cidr): string {
  return `${textOfIp(base, family)}/${length}`;
}

/** The last address of the range. */
export function lastOf({ family, base, length }: Cidr): bigint {
  return base + (1n << BigInt(widthOf(family) - length)) - 1n;
}

/** Whether they have addresses in common: one holds the other then. */
export function overlap(one: Cidr, other: Cidr): boolean {
  return one.family === other.family && one.base <= lastOf(other) && other.base <= lastOf(one);
}

/** Of an address in its canonical form. */
export function numberOfIp(text: string, family: Family): bigint {
  if (family === "IPv4") return text.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n);
  const [head = "", tail] = text.split("::");
  const groups = (part: string): readonly string[] => (part === "" ? [] : part.split(":"));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => "0"), ...groups(tail ?? "")];
  return all.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

export function textOfIp(value: bigint, family: Family): string {
  const [count, bits] = family === "IPv4" ? [4, 8n] : [8, 16n];
  const parts = Array.from({ length: count }, (_, index) => {
    const part = (value >> (BigInt(count - 1 - index) * bits)) & (2n ** bits - 1n);
    return part.toString(family === "IPv4" ? 10 : 16);
  });
  const plain = parts.join(family === "IPv4" ? "." : ":");
  return parseIp(plain)?.text ?? plain;
}
