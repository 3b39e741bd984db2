import type { Int64 } from "../int64.ts";
import { Quantity, zeroQuantity } from "../quantity.ts";
import type { DeviceRequest } from "../types/resource-v1.gen.ts";
import { addAmounts, type Amounts } from "./amounts.ts";
import type { CountedDeviceClaim } from "./fields.ts";

export const PER_CLASS = ".deviceclass.resource.k8s.io/devices";
/** A claim can have no more devices; one that asks for all counts as so many. */
const MOST_DEVICES = 32;

interface Devices {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: Int64;
}

/** Whether a limit of this name is about the devices of some class. */
export function isDeviceLimit(name: string): boolean {
  return name.endsWith(PER_CLASS);
}

/** The devices that a claim may get, by their class. */
export function deviceUsage({ spec }: CountedDeviceClaim): Amounts {
  let usage: Amounts = new Map();
  for (const request of spec?.devices?.requests ?? []) usage = addAmounts(usage, requestUsage(request));
  return usage;
}

/** Of alternatives, only one is taken: the most of each class counts. */
function requestUsage({ exactly, firstAvailable = [] }: DeviceRequest): Amounts {
  const usage = new Map<string, Quantity>();
  const alternatives: readonly Devices[] =
    firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly];
  for (const devices of alternatives) {
    const name = devices.deviceClassName + PER_CLASS;
    const count = new Quantity(BigInt(deviceCount(devices)));
    if (count.compare(usage.get(name) ?? zeroQuantity) >= 0) usage.set(name, count);
  }
  return usage;
}

/** Modes of later versions count nothing. */
function deviceCount({ allocationMode, count = 0 }: Devices): Int64 {
  if (allocationMode === "All") return MOST_DEVICES;
  return allocationMode === "ExactCount" ? count : 0;
}
