import type { Steps } from "../../pkg/api/steps.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import { addAmounts, type Amounts, parseAmounts, pickAmounts } from "../../pkg/api/quota/amounts.ts";
import { quotaCovers } from "../../pkg/api/quota/scopes.ts";
import { isAbout, usageOf } from "../../pkg/api/quota/usage.ts";
import { zeroQuantity } from "../../pkg/api/quantity.ts";
import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";

/** The objects of one resource in the quota's namespace; undefined while they are not all known. */
export interface Counted {
  readonly resource: Resource;
  readonly objects: () => readonly ApiObject[] | undefined;
}

export interface Usage {
  /** Of every limit that could be counted, be it nothing. */
  readonly amounts: Amounts;
  /** Resources that could not be counted, "deployments.apps": their limits are not in `amounts`. */
  readonly unknown: readonly string[];
}

/** What the objects that a quota is about use of its limits. They may be many: after each, the count can pause. */
export function* countUsage(
  { spec = {} }: Pick<ResourceQuota, "spec">,
  resources: readonly Counted[],
  nowMs: number,
): Steps<Usage> {
  const limits = [...parseAmounts(spec.hard).keys()];
  let sum: Amounts = new Map();
  const counted = new Set<string>();
  const failed = new Set<string>();
  const unknown: string[] = [];
  // All of one moment.
  const listed = resources.map(({ resource, objects }) => {
    const names = limits.filter((name) => isAbout(resource, name));
    return { resource, names, all: names.length === 0 ? [] : objects() };
  });
  for (const { resource, names, all } of listed) {
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
        sum = addAmounts(sum, pickAmounts(usageOf(resource, object, nowMs), names));
      }
      yield;
    }
  }
  const known = [...counted].filter((name) => !failed.has(name));
  return { amounts: pickAmounts(sum, known), unknown };
}
