import { isIPv4, isIPv6 } from "node:net";

export interface IpAddress {
  readonly family: "IPv4" | "IPv6";
  /** The canonical form. */
  readonly text: string;
}

/**
 * Reads an address leniently: zeros may lead the parts of an IPv4 address, and IPv6 may be written at any length. An
 * IPv4 address in IPv6 clothes (::ffff:1.2.3.4) is IPv4.
 */
export function parseIp(given: string): IpAddress | undefined {
  if (isIPv4(given)) return { family: "IPv4", text: given };
  const plain = /^[0-9.]+$/.test(given) ? given.replaceAll(/(^|\.)0+(?=[0-9])/g, "$1") : given;
  if (isIPv4(plain)) return { family: "IPv4", text: plain };
  if (!isIPv6(plain) || plain.includes("%")) return undefined;
  const text = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text);
  if (mapped === null) return { family: "IPv6", text };
  const bytes = mapped.slice(1).flatMap((half) => {
    const value = Number.parseInt(half, 16);
    return [value >> 8, value & 0xff];
  });
  return { family: "IPv4", text: bytes.join(".") };
}

export function isIpv6(given: string): boolean {
  return parseIp(given)?.family === "IPv6";
}
