import type { Device, DeviceSelector, DeviceToleration } from "../../api/types/resource-v1.gen.ts";
import { untoleratedTaint } from "../../api/taints.ts";
import type { Compiled } from "../../cel/compile.ts";
import { compileSelector, selectsDevice } from "../../cel/device-selector.ts";

const KEEPS_OUT: readonly string[] = ["NoSchedule", "NoExecute"];
/** Selectors are few, and each is asked about many devices. */
const MOST_KNOWN = 1_000;
const known = new Map<string, ReturnType<typeof compileSelector>>();

/** What a device must be like. */
export interface DeviceFilter {
  readonly selectors: readonly Compiled[];
  readonly tolerations: readonly DeviceToleration[];
}

/** A text says what is wrong with a selector. */
export function deviceFilter(
  selectors: readonly DeviceSelector[],
  tolerations: readonly DeviceToleration[] = [],
): DeviceFilter | string {
  const compiled: Compiled[] = [];
  for (const { cel } of selectors) {
    const made = compiledOnce(cel?.expression ?? "");
    if (typeof made === "string") return made;
    compiled.push(made.compiled);
  }
  return { selectors: compiled, tolerations };
}

function compiledOnce(expression: string): ReturnType<typeof compileSelector> {
  const before = known.get(expression);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const made = compileSelector(expression);
  known.set(expression, made);
  return made;
}

/** Devices that are parts of others, or shared, are left to schedulers that know of these. */
export function isSelected(driver: string, device: Device, { selectors }: DeviceFilter): boolean {
  if (device.allowMultipleAllocations === true || (device.consumesCounters?.length ?? 0) > 0) return false;
  return selectors.every((selector) => selectsDevice(selector, { driver, ...device }));
}

/** Whether no taint keeps the device from those who ask for it. */
export function isFree(device: Device, { tolerations }: DeviceFilter): boolean {
  return untoleratedTaint(device.taints, tolerations, KEEPS_OUT) === undefined;
}
