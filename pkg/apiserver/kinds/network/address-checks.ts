import { parseIp } from "../../../endpoints/ip-address.ts";
import type { FieldErrors } from "../field-errors.ts";

const IP_MESSAGE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR_MESSAGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** An address in the one way in which it is to be written. */
export function validateIp(value: string, path: string, errors: FieldErrors): void {
  const address = parseIp(value);
  if (address === undefined) errors.invalid(path, value, IP_MESSAGE);
  else if (address.text !== value)
    errors.invalid(path, value, `must be in canonical form (${JSON.stringify(address.text)})`);
}

/** A range of addresses without bits beyond the length of its prefix. */
export function validateCidr(value: string, path: string, errors: FieldErrors): void {
  const [text = "", length = "", ...rest] = value.split("/");
  const address = parseIp(text);
  const width = address?.family === "IPv6" ? 128 : 32;
  const bits = Number(length);
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length) || bits > width) {
    errors.invalid(path, value, CIDR_MESSAGE);
    return;
  }
  if (length !== String(bits)) errors.invalid(path, value, "must not have leading 0s in IP or prefix length");
  else if (bitsOf(address.text, width).slice(bits).includes("1"))
    errors.invalid(path, value, "must not have bits set beyond the prefix length");
  else if (`${address.text}/${bits}` !== value)
    errors.invalid(path, value, `must be in canonical form (${JSON.stringify(`${address.text}/${bits}`)})`);
}

/** An address of a field that has always been read leniently. upstream: IsValidIPForLegacyField */
export function validateOldIp(value: string, path: string, errors: FieldErrors): void {
  if (parseIp(value) === undefined) errors.invalid(path, value, IP_MESSAGE);
}

/** The same of a range. */
export function validateOldCidr(value: string, path: string, errors: FieldErrors): void {
  if (readCidr(value) === undefined) errors.invalid(path, value, CIDR_MESSAGE);
}

export interface CidrRange {
  /** "IPv4" or "IPv6", and then the bits. */
  readonly bits: string;
  /** How many letters of `bits` are fixed. */
  readonly length: number;
}

export function readCidr(value: string): CidrRange | undefined {
  const [text = "", length = "", ...rest] = value.split("/");
  const address = parseIp(text);
  const width = address?.family === "IPv6" ? 128 : 32;
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > width)
    return undefined;
  return { bits: `${address.family}${bitsOf(address.text, width)}`, length: Number(length) + 4 };
}

/** An address with the length of its network behind it. */
export function validateInterfaceAddress(value: string, path: string, errors: FieldErrors): void {
  const [ip = "", length = "", ...rest] = value.split("/");
  const address = parseIp(ip);
  const width = ip.includes(":") ? 128 : 32;
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > width) {
    const message = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    errors.invalid(path, value, message);
    return;
  }
  const bits = address.family === "IPv4" && width === 128 ? Number(length) - 96 : Number(length);
  const canonical = `${address.text}/${bits}`;
  if (value !== canonical)
    errors.invalid(path, value, `must be in canonical form (${JSON.stringify(canonical)})`);
}

function bitsOf(address: string, width: number): string {
  const groups = width === 32 ? address.split(".").map(Number) : hextets(address);
  const size = width === 32 ? 8 : 16;
  return groups.map((group) => group.toString(2).padStart(size, "0")).join("");
}

function hextets(address: string): readonly number[] {
  const [head = "", tail] = address.split("::");
  const numbers = (text: string): readonly number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [before, behind] = [numbers(head), numbers(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - before.length - behind.length;
  return [...before, ...Array.from({ length: zeros }, () => 0), ...behind];
}
