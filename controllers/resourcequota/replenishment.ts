import type { PartialObject } from "../../pkg/api/object.ts";
import { scopeFacts } from "../../pkg/api/quota/scopes.ts";
import { usageOf } from "../../pkg/api/quota/usage.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { parseTime } from "../../pkg/api/time.ts";
import { isMeasured } from "./measured.ts";

/** Whether a change of an object changes what it uses, or which quotas are about it. */
export function changesUsage(
  resource: Resource,
  before: PartialObject,
  after: PartialObject,
  nowMs: number,
): boolean {
  if (!isMeasured(resource)) return false;
  const factsOf = (object: PartialObject): string =>
    JSON.stringify([
      [...usageOf(resource, object, nowMs)].map(([name, quantity]) => [name, quantity.toString()]),
      scopeFacts(resource, object),
    ]);
  return factsOf(before) !== factsOf(after);
}

/** Times are whole seconds: of two objects of one second, neither counts as younger. */
export function isYounger(object: PartialObject, quota: PartialObject): boolean {
  const [bornMs, quotaMs] = [object, quota].map(({ metadata }) => parseTime(metadata.creationTimestamp));
  return bornMs !== undefined && quotaMs !== undefined && bornMs > quotaMs;
}
