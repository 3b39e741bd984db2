import { type Family, numberOfIp, textOfIp } from "../../endpoints/cidr.ts";
import { parseIp } from "../../endpoints/ip-address.ts";
import { type Random, randomBelow } from "../../clock/random.ts";

/** Addresses to give to services: all of the range but the first, which is that of the service `kubernetes`. */
export interface AddressRange {
  readonly family: Family;
  has(address: string): boolean;
  /** Undefined when all are taken. */
  free(taken: ReadonlySet<string>, random: Random): string | undefined;
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
  const base = numberOfIp(address.text, family);
  const width = family === "IPv4" ? 32 : 128;
  const size = 2n ** BigInt(width - Number(bits));
  // The last address of an IPv4 range is for broadcasts.
  const usable = Number(size > MOST_ADDRESSES ? MOST_ADDRESSES : size) - (family === "IPv4" ? 3 : 2);
  return {
    family,
    has: (text) => {
      const found = parseIp(text);
      if (found?.family !== family) return false;
      const offset = numberOfIp(found.text, family) - base;
      return offset >= 0n && offset < size;
    },
    free: (taken, random) => {
      const start = randomBelow(random, usable);
      for (let step = 0; step < usable; step++) {
        const found = textOfIp(base + 2n + BigInt((start + step) % usable), family);
        if (!taken.has(found)) return found;
      }
      return undefined;
    },
  };
}
