import { type Random, randomBelow } from "../clock/random.ts";

/** No vowels, and no digits that look like them: random names spell no words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

export const maxLabelLength = 63;
export const maxSubdomainLength = 253;

const suffixLength = 5;

export function randomSuffix(random: Random, length: number = suffixLength): string {
  return Array.from({ length }, () => alphabet[randomBelow(random, alphabet.length)]).join("");
}

/** What the API server makes of metadata.generateName: at most 63 characters, the last five random. */
export function generateName(base: string, random: Random): string {
  return withSuffix(base, randomSuffix(random));
}

/** The same with five characters that this number stands for. */
export function nameWithSuffix(base: string, number: number): string {
  const letter = (_: unknown, place: number): string =>
    alphabet[Math.floor(number / alphabet.length ** place) % alphabet.length] ?? "";
  return withSuffix(base, Array.from({ length: suffixLength }, letter).join(""));
}

function withSuffix(base: string, suffix: string): string {
  return base.slice(0, maxLabelLength - suffixLength) + suffix;
}

/** Writes a hash's digits in the alphabet of random names. */
export function safeEncode(text: string): string {
  return Array.from(text, (letter) => alphabet[(letter.codePointAt(0) ?? 0) % alphabet.length]).join("");
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const dns1035Pattern = new RegExp(`^${dns1035}$`);

/** What is wrong with a DNS-1123 label, in the API server's words; empty when it is valid. */
export function dnsLabelProblems(value: string): readonly string[] {
  const problems = lengthProblems(value, maxLabelLength);
  if (labelPattern.test(value)) return problems;
  if (subdomainPattern.test(value)) return [...problems, "must not contain dots"];
  return [
    ...problems,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
      `with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
  ];
}

/** What is wrong with a DNS-1123 subdomain, which is what most objects' names are. */
export function dnsSubdomainProblems(value: string): readonly string[] {
  const problems = lengthProblems(value, maxSubdomainLength);
  if (subdomainPattern.test(value)) return problems;
  return [
    ...problems,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start " +
      `and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
  ];
}

/** What is wrong with a DNS-1035 label, which is what a Service's name must be. */
export function dns1035LabelProblems(value: string): readonly string[] {
  const problems = lengthProblems(value, maxLabelLength);
  if (dns1035Pattern.test(value)) return problems;
  return [
    ...problems,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
      `and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${dns1035}')`,
  ];
}

function lengthProblems(value: string, max: number): readonly string[] {
  return Buffer.byteLength(value) > max ? [`must be no more than ${max} characters`] : [];
}
