import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { Differences } from "./differences.ts";
import { claimsIn, isBroken, isOver, madeFor, userOf } from "./device-facts.ts";

/** Claims are had by those who need them, each by its own, and nobody stays whose devices are broken. */
export function checkDevices(found: Differences, store: Store): void {
  const claims = claimsIn(store);
  const holders = new Map<string, string>();
  for (const claim of claims) {
    const { allocation, reservedFor = [] } = claim.status ?? {};
    for (const { uid, name } of reservedFor)
      if (userOf(store, uid) === undefined)
        found.add(claim, `is reserved for ${name}, which does not need it`);
    if (allocation !== undefined && reservedFor.length === 0)
      found.add(claim, "has devices that nobody uses");
    for (const { driver, pool, device } of allocation?.devices?.results ?? []) {
      const key = `${driver}/${pool}/${device}`;
      const other = holders.get(key);
      if (other !== undefined) found.add(claim, `has ${key}, as ${other} has`);
      holders.set(key, claim.metadata.name ?? "");
    }
    if (reservedFor.length > 0 && isBroken(store, claim))
      found.add(claim, "is used though its device is broken");
    if (claim.metadata.deletionTimestamp !== undefined && reservedFor.length === 0)
      found.add(claim, "is still being deleted");
    const owner = madeFor(claim);
    if (owner !== undefined && userOf(store, owner.uid) === undefined)
      found.add(claim, "is left of a pod that does not need it");
  }
  const templates = new Set(
    objectsIn(store, resources.resourceClaimTemplates).map(({ metadata }) => metadata.name),
  );
  for (const pod of podsIn(store)) if (!isOver(pod)) checkPod(found, pod, claims, templates);
}

function checkPod(
  found: Differences,
  pod: Pod,
  claims: ReturnType<typeof claimsIn>,
  templates: ReadonlySet<string | undefined>,
): void {
  if (pod.metadata.deletionTimestamp !== undefined) return;
  for (const { name, resourceClaimTemplateName: template } of pod.spec?.resourceClaims ?? []) {
    if (template === undefined) continue;
    const own = claims.filter((claim) => {
      const owner = madeFor(claim);
      return owner?.uid === pod.metadata.uid && owner?.name === name;
    });
    const told = pod.status?.resourceClaimStatuses?.find((each) => each.name === name)?.resourceClaimName;
    if (own.length === 0 && !templates.has(template)) continue;
    // Whose claim a user has deleted may run without for as long as it holds it.
    if (own.length === 0) found.add(pod, `has no claim ${name}`);
    if (own.length > 1 && !own.some(({ metadata }) => metadata.name === told))
      found.add(pod, `has ${own.length} claims ${name}`);
    if (own.length === 1 && own[0]?.metadata.name !== told)
      found.add(pod, `is told that its claim ${name} is ${told}`);
  }
}
