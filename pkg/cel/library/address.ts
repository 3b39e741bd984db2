// IP addresses as Go's netip reads them, and what it says of what is none.
import { quotedAsInGo } from "../../api/go-quote.ts";

export interface Address {
  readonly bits: bigint;
  /** In bytes. */
  readonly size: 4 | 16;
  /** What stands behind a %. */
  readonly zone: string;
}

class Misread {
  readonly what: string;
  /** From where on it is wrong. */
  readonly rest: string;

  constructor(what: string, rest = "") {
    this.what = what;
    this.rest = rest;
  }
}

/** upstream: net/netip#ParseAddr */
export function parseAddress(text: string): Address | string {
  const read = readAddress(text);
  if (!(read instanceof Misread)) return read;
  const at = read.rest === "" ? "" : ` (at ${quotedAsInGo(read.rest)})`;
  return `ParseAddr(${quotedAsInGo(text)}): ${read.what}${at}`;
}

function readAddress(text: string): Address | Misread {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".": {
      const fields = fieldsOf(text);
      return fields instanceof Misread ? fields : { bits: joined(fields, 8n), size: 4, zone: "" };
    }
    case ":":
      return readLong(text);
    case "%":
      return new Misread("missing IPv6 address");
    case undefined:
    default:
      return new Misread("unable to parse IP");
  }
}

function joined(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}

/** The four numbers of an IPv4 address. */
function fieldsOf(text: string): readonly number[] | Misread {
  const fields: number[] = [];
  let digits = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (/\d/.test(letter)) {
      if (digits === "0") return new Misread("IPv4 field has octet with leading zero");
      digits += letter;
      if (Number(digits) > 255) return new Misread("IPv4 field has value >255");
      continue;
    }
    if (letter !== ".") return new Misread("unexpected character", text.slice(at));
    if (digits === "" || at === text.length - 1)
      return new Misread("IPv4 field must have at least one digit", text.slice(at));
    if (fields.length === 3) return new Misread("IPv4 address too long");
    fields.push(Number(digits));
    digits = "";
  }
  return fields.length < 3 ? new Misread("IPv4 address too short") : [...fields, Number(digits)];
}

const GROUPS = 8;

function readLong(text: string): Address | Misread {
  const percent = text.indexOf("%");
  const zone = percent === -1 ? "" : text.slice(percent + 1);
  if (percent !== -1 && zone === "") return new Misread("zone must be a non-empty string");
  const groups = groupsOf(percent === -1 ? text : text.slice(0, percent));
  return groups instanceof Misread ? groups : { bits: joined(groups, 16n), size: 16, zone };
}

/** The eight numbers of an IPv6 address. */
function groupsOf(text: string): readonly number[] | Misread {
  const groups: number[] = [];
  /** How many groups are in front of the "::". */
  let gap = text.startsWith("::") ? 0 : undefined;
  let rest = gap === undefined ? text : text.slice(2);
  while (groups.length < GROUPS && !(rest === "" && gap === groups.length)) {
    const digits = /^[0-9a-f]*/i.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return new Misread("each group must have 4 or less digits", rest);
    if (digits === "") return new Misread("each colon-separated field must have at least one digit", rest);
    const follows = rest.slice(digits.length);
    if (follows.startsWith(".")) {
      const last = lastGroups(rest, groups.length, gap !== undefined);
      if (last instanceof Misread) return last;
      groups.push(...last);
      rest = "";
      break;
    }
    groups.push(Number.parseInt(digits, 16));
    rest = follows;
    if (rest === "") break;
    if (!rest.startsWith(":")) return new Misread("unexpected character, want colon", rest);
    if (rest === ":") return new Misread("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (gap !== undefined) return new Misread("multiple :: in address", rest);
    gap = groups.length;
    rest = rest.slice(1);
  }
  if (rest !== "") return new Misread("trailing garbage after address", rest);
  return filled(groups, gap);
}

/** An IPv4 address at the end of one of IPv6. */
function lastGroups(rest: string, before: number, hasGap: boolean): readonly number[] | Misread {
  if (!hasGap && before !== GROUPS - 2)
    return new Misread("embedded IPv4 address must replace the final 2 fields of the address", rest);
  if (before > GROUPS - 2)
    return new Misread("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  const fields = fieldsOf(rest);
  if (fields instanceof Misread) return fields;
  const bits = joined(fields, 8n);
  return [Number(bits >> 16n), Number(bits & 0xffffn)];
}

function filled(groups: readonly number[], gap: number | undefined): readonly number[] | Misread {
  const missing = GROUPS - groups.length;
  if (gap === undefined) return missing === 0 ? groups : new Misread("address string too short");
  if (missing === 0) return new Misread("the :: must expand to at least one field of zeros");
  return [...groups.slice(0, gap), ...Array.from({ length: missing }, () => 0), ...groups.slice(gap)];
}
