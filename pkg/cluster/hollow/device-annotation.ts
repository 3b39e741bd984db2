import { dnsSubdomainProblems } from "../../api/names.ts";
import type { Device } from "../../api/types/resource-v1.gen.ts";

/** On a node: the devices that its drivers say that it has. */
export const DEVICES_ANNOTATION = "kcm.dev/devices";

const MOST_DEVICES = 128;

/** The devices of one driver. */
export interface HollowDevices {
  readonly driver: string;
  readonly devices: readonly Device[];
}

/**
 * "gpu.example.com=2 model=a100 memory=80Gi; nic.example.com=1": how many there are of each driver, and what they are like.
 * Whole numbers, true, false and versions are what they look like, amounts with a unit are capacities, the rest are texts.
 * What cannot be read is left out.
 */
export function devicesOfAnnotation(text: string): readonly HollowDevices[] {
  return text.split(";").flatMap((part) => {
    const [first = "", ...rest] = part.trim().split(/\s+/);
    const [driver = "", number = ""] = first.split("=");
    const count = /^\d{1,3}$/.test(number) ? Math.min(Number(number), MOST_DEVICES) : 0;
    if (driver.length > 63 || dnsSubdomainProblems(driver).length > 0 || count === 0) return [];
    const like = propertiesOf(rest);
    return [
      {
        driver,
        devices: Array.from({ length: count }, (_, index) => ({ name: `device-${index}`, ...like })),
      },
    ];
  });
}

function propertiesOf(pairs: readonly string[]): Pick<Device, "attributes" | "capacity"> {
  const attributes: Record<string, NonNullable<Device["attributes"]>[string]> = {};
  const capacity: Record<string, { readonly value: string }> = {};
  for (const pair of pairs.slice(0, 32)) {
    const [, name = "", value = ""] = /^([A-Za-z_]\w{0,31})=(\S{1,64})$/.exec(pair) ?? [];
    if (name === "") continue;
    if (/^\d+(?:\.\d+)?(?:[KMGTPE]i|[kMGTPE])$/.test(value)) capacity[name] = { value };
    else if (/^\d{1,15}$/.test(value)) attributes[name] = { int: Number(value) };
    else if (value === "true" || value === "false") attributes[name] = { bool: value === "true" };
    else if (/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(value)) attributes[name] = { version: value };
    else attributes[name] = { string: value };
  }
  return {
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(Object.keys(capacity).length > 0 && { capacity }),
  };
}
