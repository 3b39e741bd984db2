import { type Amounts, formatAmounts, parseAmounts, pickAmounts } from "../../pkg/api/quota/amounts.ts";
import type { Devices } from "../../pkg/api/quota/devices.ts";
import { isAbout } from "../../pkg/api/quota/usage.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../pkg/api/types/core-v1.gen.ts";

/**
 * The status to write: the limits of the spec, and what is used of them; what could not be counted stays as it was.
 * Undefined when the status says all that already.
 */
export function decideStatus(quota: ResourceQuota, usage: Amounts): ResourceQuotaStatus | undefined {
  const { spec, status } = quota;
  const hard = parseAmounts(spec?.hard);
  const before = parseAmounts(status?.used);
  const used = pickAmounts(new Map([...before, ...usage]), hard.keys());
  const isNew = status?.hard === undefined || status.used === undefined;
  if (!isNew && sameAmounts(hard, parseAmounts(status.hard)) && sameAmounts(used, before)) return undefined;
  return { hard: spec?.hard ?? {}, used: formatAmounts(used) };
}

/** Nothing can be created in its namespace before its usage is known: such a quota is looked at before others. */
export function isUrgent(
  { spec, status }: ResourceQuota,
  tracked: readonly Resource[],
  devices: Devices | undefined,
): boolean {
  if (!sameAmounts(parseAmounts(spec?.hard), parseAmounts(status?.hard))) return true;
  const missing = Object.keys(status?.hard ?? {}).filter((name) => status?.used?.[name] === undefined);
  return missing.some((name) => tracked.some((resource) => isAbout(resource, name, devices)));
}

/** Whether a change of the spec changes what is counted. */
export function countsOtherwise(before: ResourceQuota, after: ResourceQuota): boolean {
  // The scopes cannot change.
  return !sameAmounts(parseAmounts(before.spec?.hard), parseAmounts(after.spec?.hard));
}

/** Whether the quota has a limit that is about this resource, or will have one as soon as the cache sees its status. */
export function limitsResource(
  { spec, status }: ResourceQuota,
  resource: Resource,
  devices: Devices | undefined,
): boolean {
  return [spec?.hard, status?.hard].some((hard) =>
    Object.keys(hard ?? {}).some((name) => isAbout(resource, name, devices)),
  );
}

function sameAmounts(left: Amounts, right: Amounts): boolean {
  return (
    left.size === right.size &&
    [...left].every(([name, quantity]) => right.get(name)?.equals(quantity) === true)
  );
}
