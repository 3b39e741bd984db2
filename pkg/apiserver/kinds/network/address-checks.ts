import { parseIp } from "../../../endpoints/ip-address.ts";
import type { FieldErrors } from "../field-errors.ts";

const IP_MESSAGE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR_MESSAGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** An address in the one way in which it is to be written. */
export function validateIp(value: string, path: string, errors: FieldErrors): boolean {
  if (!validateOldIp(value, path, errors)) return false;
  const proper = parseIp(value)?.text ?? "";
  if (proper !== value) errors.invalid(path, value, `must be in canonical form (${JSON.stringify(proper)})`);
  return proper === value;
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

/** An address that need not be in its canonical form. upstream: IsValidIPForLegacyField */
export function validateOldIp(value: string, path: string, errors: FieldErrors): boolean {
  const problem = oldIpProblem(value);
  if (problem !== undefined) errors.invalid(path, value, problem);
  return problem === undefined;
}

function oldIpProblem(value: string): string | undefined {
  const address = parseIp(value);
  if (address === undefined) return IP_MESSAGE;
  if (hasLeadingZeros(value)) return "must not have leading 0s";
  return isMapped(value) ? "must not be an IPv4-mapped IPv6 address" : undefined;
}

/** The same of a range. */
export function validateOldCidr(value: string, path: string, errors: FieldErrors): void {
  const range = readCidr(value);
  const [ip = "", length = ""] = value.split("/");
  if (range === undefined) errors.invalid(path, value, CIDR_MESSAGE);
  else if (hasLeadingZeros(ip) || length !== String(Number(length)))
    errors.invalid(path, value, "must not have leading 0s in IP or prefix length");
  else if (isMapped(ip)) errors.invalid(path, value, "must not have an IPv4-mapped IPv6 address");
  else if (range.bits.slice(range.length).includes("1"))
    errors.invalid(path, value, "must not have bits set beyond the prefix length");
}

const hasLeadingZeros = (ip: string): boolean => /(?:^|\.)0[0-9]/.test(ip);
const isMapped = (ip: string): boolean => ip.includes(":") && parseIp(ip)?.family === "IPv4";

/** What is said of addresses that are taken and should be written otherwise. upstream: GetWarningsForIP */
export function ipWarnings(path: string, value: string): readonly string[] {
  const address = parseIp(value);
  if (address === undefined) return [];
  const [given, proper] = [JSON.stringify(value), JSON.stringify(address.text)];
  if (oldIpProblem(value) !== undefined)
    return [`${path}: non-standard IP address ${given} is invalid: use ${proper}`];
  if (address.family === "IPv4" || address.text === value) return [];
  return [`${path}: IPv6 address ${given} should be in RFC 5952 canonical format (${proper})`];
}

/** The same of ranges; those that are taken have no bits too many. */
export function cidrWarnings(path: string, value: string): readonly string[] {
  const [ip = "", length = ""] = value.split("/");
  const address = parseIp(ip);
  const proper = `${address?.text ?? ""}/${length}`;
  if (address === undefined || address.family === "IPv4" || proper === value) return [];
  const [given, canonical] = [JSON.stringify(value), JSON.stringify(proper)];
  return [`${path}: IPv6 CIDR value ${given} should be in RFC 5952 canonical format (${canonical})`];
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
