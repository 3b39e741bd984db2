import type { Steps } from "../../pkg/api/steps.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import { addAmounts, type Amounts, parseAmounts, pickAmounts } from "../../pkg/api/quota/amounts.ts";
import type { Devices } from "../../pkg/api/quota/devices.ts";
import { isClaimForDevices } from "../../pkg/api/quota/fields.ts";
import { quotaCovers } from "../../pkg/api/quota/scopes.ts";
import { countName, isAbout, isExtendedRequest, isOffered, usageOf } from "../../pkg/api/quota/usage.ts";
import { zeroQuantity } from "../../pkg/api/quantity.ts";
import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";

/** The objects of one resource in the quota's namespace; undefined until all are known. */
export interface Counted {
  readonly resource: Resource;
  /** Only the metadata is read, in a version other than the one that is understood: only the objects can be counted. */
  readonly isForeign: boolean;
  readonly objects: () => readonly PartialObject[] | undefined;
}

export interface Usage {
  /** Of every limit that could be counted, be it nothing. */
  readonly amounts: Amounts;
  /** Resources that could not be counted, "deployments.apps": their limits are not in `amounts`. */
  readonly unknown: readonly string[];
}

/** What is counted, and with what. */
export interface Countable {
  readonly resources: readonly Counted[];
  /** Undefined while the classes of devices are not known. */
  readonly devices: Devices | undefined;
}

/** What the objects that a quota is about use of its limits. They may be many: after each, the count can pause. */
export function* countUsage(
  { spec = {} }: Pick<ResourceQuota, "spec">,
  { resources, devices }: Countable,
  nowMs: number,
): Steps<Usage> {
  const names = [...parseAmounts(spec.hard).keys()];
  const limits = names.filter((name) => isMeasurable(name, resources, devices));
  let sum: Amounts = new Map();
  const counted = new Set<string>();
  const failed = new Set<string>();
  const unknown: string[] = [];
  if (devices === undefined && limits.length < names.length) unknown.push("deviceclasses.resource.k8s.io");
  // All of one moment.
  const listed = resources.map(({ resource, isForeign, objects }) => {
    const names = limits.filter((name) =>
      isForeign ? name === countName(resource) : isAbout(resource, name, devices),
    );
    // What is counted at all is counted under every name that it has. upstream: claims of classes that are not there
    const used = isForeign ? names : limits;
    return { resource, names, used, all: names.length === 0 ? [] : objects() };
  });
  for (const { resource, names, used, all } of listed) {
    if (names.length === 0) continue;
    if (all === undefined) {
      unknown.push(groupResource(resource));
      for (const name of names) failed.add(name);
      continue;
    }
    for (const name of names) counted.add(name);
    sum = addAmounts(sum, new Map(names.map((name) => [name, zeroQuantity])));
    for (const object of all) {
      if (quotaCovers(spec, names, resource, object)) {
        sum = addAmounts(sum, pickAmounts(usageOf(resource, object, nowMs, devices), used));
      }
      yield;
    }
  }
  const known = [...counted].filter((name) => !failed.has(name));
  return { amounts: pickAmounts(sum, known), unknown };
}

/**
 * Claims use what pods ask for by name, too: where it is not known which of them do, or what they use, the number of
 * the pods alone would erase what the API server has counted.
 */
function isMeasurable(name: string, resources: readonly Counted[], devices: Devices | undefined): boolean {
  if (!isExtendedRequest(name)) return true;
  const claims = resources.find(({ resource }) => isClaimForDevices(resource));
  if (claims === undefined || claims.isForeign) return devices === undefined || !isOffered(name, devices);
  return devices !== undefined;
}
