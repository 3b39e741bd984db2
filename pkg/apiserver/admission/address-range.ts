import { parseIp } from "../../endpoints/ip-address.ts";
import { type Random, randomBelow } from "../../clock/random.ts";
import { internal } from "../server/status-error.ts";

export type Family = "IPv4" | "IPv6";

/** Addresses to give to services: all of the range but the first, which is that of the service `kubernetes`. */
export interface AddressRange {
  readonly family: Family;
  has(address: string): boolean;
  free(taken: ReadonlySet<string>, random: Random): string;
}

const MOST_ADDRESSES = 65_536n;

/** "10.0.0.0/16", or with one of the other family "10.0.0.0/16,2001:db8::/112". */
export function addressRanges(cidrs: string): readonly AddressRange[] {
  return cidrs.split(",").map(addressRange);
}

function addressRange(cidr: string): AddressRange {
  const [text = "", bits = ""] = cidr.split("/");
  const address = parseIp(text);
  if (address === undefined) throw new Error(`not a range of addresses: ${cidr}`);
  const { family } = address;
  const base = numberOf(address.text, family);
  const width = family === "IPv4" ? 32 : 128;
  const size = 2n ** BigInt(width - Number(bits));
  // The last address of an IPv4 range is for broadcasts.
  const usable = Number(size > MOST_ADDRESSES ? MOST_ADDRESSES : size) - (family === "IPv4" ? 3 : 2);
  return {
    family,
    has: (text) => {
      const found = parseIp(text);
      if (found?.family !== family) return false;
      const offset = numberOf(found.text, family) - base;
      return offset >= 0n && offset < size;
    },
    free: (taken, random) => {
      const start = randomBelow(random, usable);
      for (let step = 0; step < usable; step++) {
        const found = textOf(base + 2n + BigInt((start + step) % usable), family);
        if (!taken.has(found)) return found;
      }
      throw internal("failed to allocate IP: range is full");
    },
  };
}

function numberOf(text: string, family: Family): bigint {
  if (family === "IPv4") return text.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n);
  const [head = "", tail] = text.split("::");
  const groups = (part: string): readonly string[] => (part === "" ? [] : part.split(":"));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => "0"), ...groups(tail ?? "")];
  return all.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function textOf(value: bigint, family: Family): string {
  const [count, bits] = family === "IPv4" ? [4, 8n] : [8, 16n];
  const parts = Array.from({ length: count }, (_, index) => {
    const part = (value >> (BigInt(count - 1 - index) * bits)) & (2n ** bits - 1n);
    return part.toString(family === "IPv4" ? 10 : 16);
  });
  const plain = parts.join(family === "IPv4" ? "." : ":");
  return parseIp(plain)?.text ?? plain;
}
