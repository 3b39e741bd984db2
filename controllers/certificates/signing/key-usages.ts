/** Usages that are bits of a certificate: the number of each. */
const BITS: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Usages that are purposes, with their object identifiers, in the order in which Go writes them. */
const PURPOSES: readonly (readonly [identifier: string, ...usages: string[]])[] = [
  ["2.5.29.37.0", "any"],
  ["1.3.6.1.5.5.7.3.1", "server auth"],
  ["1.3.6.1.5.5.7.3.2", "client auth"],
  ["1.3.6.1.5.5.7.3.3", "code signing"],
  ["1.3.6.1.5.5.7.3.4", "email protection", "s/mime"],
  ["1.3.6.1.5.5.7.3.5", "ipsec end system"],
  ["1.3.6.1.5.5.7.3.6", "ipsec tunnel"],
  ["1.3.6.1.5.5.7.3.7", "ipsec user"],
  ["1.3.6.1.5.5.7.3.8", "timestamping"],
  ["1.3.6.1.5.5.7.3.9", "ocsp signing"],
  ["1.3.6.1.4.1.311.10.3.3", "microsoft sgc"],
  ["2.16.840.1.113730.4.1", "netscape sgc"],
];

export interface KeyUsages {
  readonly keyUsages: readonly number[];
  readonly extendedKeyUsages: readonly string[];
}

/** What a certificate says of its usages; a text where one of them means nothing. upstream: authority/policies.go#keyUsagesFromStrings */
export function keyUsagesOf(usages: readonly string[]): KeyUsages | string {
  const isPurpose = (usage: string): boolean => PURPOSES.some(([, ...names]) => names.includes(usage));
  const unknown = usages.filter((usage) => !Object.hasOwn(BITS, usage) && !isPurpose(usage));
  if (unknown.length > 0)
    return `unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`;
  const bits = usages.flatMap((usage) => BITS[usage] ?? []);
  return {
    keyUsages: [...new Set(bits)].sort((one, other) => one - other),
    extendedKeyUsages: PURPOSES.flatMap(([identifier, ...names]) =>
      names.some((name) => usages.includes(name)) ? [identifier] : [],
    ),
  };
}
