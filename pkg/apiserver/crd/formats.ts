import { isIP, isIPv4, isIPv6 } from "node:net";
import { parseTime } from "../../api/time.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";

type Check = (value: string) => boolean;

const matching =
  (pattern: RegExp): Check =>
  (value) =>
    pattern.test(value);

const shortName = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** Formats of strings that custom resources are held to, without their hyphens. */
const checks: Readonly<Record<string, Check>> = {
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  byte: (value) => value !== "" && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value),
  cidr: isCidr,
  creditcard: isCreditCard,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: matching(/^(?:[^<>@\s]+@[^<>@\s]+|[^<>@]*<[^<>@\s]+@[^<>@\s]+>)$/),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  isbn: (value) => isIsbn10(value) || isIsbn13(value),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  k8slongname: (value) => value.length <= 253 && new RegExp(`^${shortName}(\\.${shortName})*$`).test(value),
  k8sshortname: (value) => value.length <= 63 && new RegExp(`^${shortName}$`).test(value),
  mac: matching(
    /^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5,19}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5,19}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2,9})$/,
  ),
  password: () => true,
  rgbcolor: isRgbColor,
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  uri: (value) => (value.startsWith("/") || URL.canParse(value)) && !/\s/.test(value),
  uuid: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
};

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** The format that values are held to; undefined where the schema's means nothing to the API server. */
export function formatOf(schema: OpenApiSchema): string | undefined {
  const { format = "", type = "" } = schema;
  if (format === "") return undefined;
  if (type === "" || type === "string" || schema["x-kubernetes-int-or-string"] === true) {
    const plain = format.replaceAll("-", "");
    return Object.hasOwn(checks, plain) ? plain : undefined;
  }
  return (numberFormats[type] ?? []).includes(format) ? format : undefined;
}

/** Whether a text has the format, which formatOf gave. */
export function checkFormat(format: string, value: string): boolean {
  const check = Object.hasOwn(checks, format) ? checks[format] : undefined;
  return check === undefined || check(value);
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  try {
    return parseTime(`${value}T00:00:00Z`) !== undefined;
  } catch {
    // parseTime throws for exactly the texts that are no times.
    return false;
  }
}

function isDateTime(value: string): boolean {
  const [date = "", time = ""] = value.toLowerCase().split("t");
  const match = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time);
  return (
    match !== null && isDate(date) && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) < 60
  );
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const wordyDuration = /^\s*[-+]?(?:\d+\s*[a-zµ]+\s*)+$/i;
const units = [
  "d",
  "day",
  "h",
  "hour",
  "hr",
  "m",
  "micro",
  "milli",
  "min",
  "ms",
  "nano",
  "ns",
  "s",
  "sec",
  "us",
  "w",
  "week",
  "wk",
  "µs",
];

/** As Go writes them, or with words: "22 ns". */
function isDuration(value: string): boolean {
  if (value.length > 1024) return false;
  if (goDuration.test(value)) return true;
  if (!wordyDuration.test(value)) return false;
  return (value.match(/[a-zµ]+/gi) ?? []).some((word) =>
    units.some((unit) => word.toLowerCase().startsWith(unit)),
  );
}

function isHostname(value: string): boolean {
  if (value.length > 255) return false;
  const labels = value.split(".");
  return labels.every(
    (label) => label.length <= 63 && /^[\p{L}\p{S}0-9](?:[-\p{L}\p{S}0-9]*[\p{L}\p{S}0-9])?$/u.test(label),
  );
}

function isCidr(value: string): boolean {
  const [address = "", bits = "", ...rest] = value.split("/");
  const version = isIP(address);
  return (
    rest.length === 0 && version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
  );
}

function isRgbColor(value: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(value);
  return match !== null && match.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part));
}

function isIsbn10(value: string): boolean {
  const digits = value.replaceAll(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, at) => total + (10 - at) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(value: string): boolean {
  const digits = value.replaceAll(/[\s-]/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((total, digit, at) => total + (at % 2 === 0 ? 1 : 3) * Number(digit), 0) %
      10 ===
    0
  );
}

const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** A number of a known series whose last digit checks the others. */
function isCreditCard(value: string): boolean {
  const digits = value.replaceAll(/\D/g, "");
  if (!cards.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => {
      const doubled = at % 2 === 0 ? Number(digit) : 2 * Number(digit);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}
