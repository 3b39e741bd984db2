import { isIP, isIPv4, isIPv6 } from "node:net";
import { parseTime } from "../../api/time.ts";

type Check = (value: string) => boolean;

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Formats of strings that custom resources are held to; formats that nobody knows say nothing. */
const checks: Readonly<Record<string, Check>> = {
  "date-time": isTime,
  date: (value) => isTime(`${value}T00:00:00Z`),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  uuid: (value) => uuid.test(value),
  byte: (value) => /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0,
  hostname: (value) => value.length <= 255 && /^([a-zA-Z0-9]([-a-zA-Z0-9]{0,62})(\.|$))+$/.test(value),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(value),
  uri: (value) => URL.canParse(value),
  mac: (value) => /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/.test(value),
  duration: (value) => /^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/.test(value) || value === "0",
};

export function checkFormat(format: string, value: string): boolean {
  const check = Object.hasOwn(checks, format) ? checks[format] : undefined;
  return check === undefined || check(value);
}

function isTime(value: string): boolean {
  try {
    return parseTime(value) !== undefined;
  } catch {
    // parseTime throws for exactly the texts that are no times.
    return false;
  }
}

function isCidr(value: string): boolean {
  const [address = "", bits = "", ...rest] = value.split("/");
  const version = isIP(address);
  return (
    rest.length === 0 && version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
  );
}
