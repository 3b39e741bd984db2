import { bitString, boolean, integer, objectIdentifier, sequence, tagged } from "../../pkg/pki/der.ts";
import type { OddExtension } from "./odd-certificate.ts";

/** Extensions of certificates, and the names in them, good and bad. */

export const CLIENT = "1.3.6.1.5.5.7.3.2";
export const SERVER = "1.3.6.1.5.5.7.3.1";
export const ANY = "2.5.29.37.0";
export const PRIVATE_PURPOSE = "1.2.3.4.5";

export const ca = (pathLength?: number, isAuthority = true): OddExtension => ({
  id: "2.5.29.19",
  critical: true,
  value: sequence(
    ...(isAuthority ? [boolean(true)] : []),
    ...(pathLength === undefined ? [] : [integer(Buffer.of(pathLength))]),
  ),
});
export const usages = (byte: number): OddExtension => ({
  id: "2.5.29.15",
  critical: true,
  value: bitString(Buffer.of(byte), 1),
});
export const purposes = (...ids: readonly string[]): OddExtension => ({
  id: "2.5.29.37",
  value: sequence(...ids.map(objectIdentifier)),
});
export const other = (id: string, critical: boolean, value = sequence()): OddExtension => ({
  id,
  critical,
  value,
});
export const unknown = (critical: boolean): OddExtension => other("1.2.3.4", critical);
export const dns = (name: string): Buffer => tagged(2, Buffer.from(name), false);
export const mail = (address: string): Buffer => tagged(1, Buffer.from(address), false);
export const uri = (text: string): Buffer => tagged(6, Buffer.from(text), false);
export const ip = (...bytes: readonly number[]): Buffer => tagged(7, Buffer.from(bytes), false);
export const directory = tagged(4, sequence(), true);
export const names = (...all: readonly Buffer[]): OddExtension => ({
  id: "2.5.29.17",
  value: sequence(...all),
});
export const criticalNames = (...all: readonly Buffer[]): OddExtension => ({
  ...names(...all),
  critical: true,
});

export function constraints(
  permitted: readonly Buffer[],
  excluded: readonly Buffer[] = [],
  critical = true,
): OddExtension {
  const part = (number: number, bases: readonly Buffer[]): readonly Buffer[] =>
    bases.length === 0 ? [] : [tagged(number, Buffer.concat(bases.map((base) => sequence(base))), true)];
  return { id: "2.5.29.30", critical, value: sequence(...part(0, permitted), ...part(1, excluded)) };
}
