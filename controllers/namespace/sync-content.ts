import { messageOf } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { resources as builtIn } from "../../pkg/api/resources.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Namespace, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { attempts } from "../../pkg/controller/attempts.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import { writeConditions } from "./apply.ts";
import { type Outcome, updatedConditions } from "./conditions.ts";
import type { ContentContext } from "./context.ts";
import { gracePeriodSeconds, type Remainder, unexpiredEstimate } from "./remaining.ts";
import { deleteObjects } from "./sync-resource.ts";
import { discoverContent } from "./sync-discovery.ts";

/** Something went wrong; the message names all of it. */
class ContentError extends AggregateError {
  readonly code = "NamespaceContent";
  constructor(errors: readonly unknown[]) {
    super(errors, errors.map(messageOf).join(", "));
    this.name = "ContentError";
  }
}

/** What a round over some resources came to. */
interface Round {
  readonly remainders: readonly Remainder[];
  readonly errors: readonly unknown[];
}

export interface ContentResult {
  /** When it is worth to look again; 0: nothing is left. */
  readonly estimateSeconds: number;
  /** The namespace with the conditions that were written. */
  readonly written: Stored<Namespace>;
}

/**
 * Deletes everything in the namespace: the pods first, and while there are any nothing else, so that what guards or
 * serves them outlives them. Rejects when anything could not be deleted, or is left for no reason.
 * upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go#deleteAllContent
 */
export async function deleteContent(
  sync: Sync,
  context: ContentContext,
  namespace: Stored<Namespace>,
): Promise<ContentResult> {
  const { resources, versionFailure, discoveryFailure, errors } = await discoverContent(context, sync.signal);
  const pods = resources.filter(isPods);
  const podRound = await deleteAll(sync, context, namespace, pods);
  const podErrors = podRound.errors.map(
    (cause) =>
      new Error(`failed to delete pods for namespace: ${namespace.metadata.name}, err: ${messageOf(cause)}`, {
        cause,
      }),
  );
  // What could not be deleted, or counted, may be there.
  const hasPods = podErrors.length > 0 || podRound.remainders.some(({ count }) => count > 0);
  const others = hasPods ? [] : resources.filter((resource) => !isPods(resource));
  const otherRound = await deleteAll(sync, context, namespace, others);
  const remainders = [...podRound.remainders, ...otherRound.remainders];
  const written = await tell(sync, context, namespace, {
    ...(discoveryFailure !== undefined && { discoveryFailure }),
    ...(versionFailure !== undefined && { versionFailure }),
    deletionFailures: [...podRound.errors, ...otherRound.errors].map(messageOf),
    // As upstream: while there are pods, the conditions do not speak of what remains.
    remainders: hasPods ? [] : remainders,
  });
  const failures = [...errors, ...podErrors, ...otherRound.errors];
  if (failures.length > 0) throw new ContentError(failures);
  return { estimateSeconds: Math.max(0, ...remainders.map((each) => each.estimateSeconds)), written };
}

/** One resource after the other. A failure does not keep the others from being deleted. */
async function deleteAll(
  { signal }: Sync,
  context: ContentContext,
  { metadata }: Stored<Namespace>,
  resources: readonly ApiResource[],
): Promise<Round> {
  const { name, deletionTimestamp } = metadata;
  const remainders: Remainder[] = [];
  const { errors, attempt } = attempts(signal);
  for (const resource of resources) {
    await attempt(async () => {
      const seconds = isPods(resource) ? await podSeconds(context, name, signal) : 0;
      const deletedAtMs = parseTime(deletionTimestamp) ?? 0;
      const estimateSeconds = unexpiredEstimate(seconds, deletedAtMs, context.clock.nowMs());
      const objects = { resource, namespace: name, estimateSeconds };
      const remainder = await deleteObjects(context, objects, signal);
      remainders.push(remainder);
      if (remainder.unexpected) throw unexpectedRemainder(name, resource);
    });
  }
  return { remainders, errors };
}

async function tell(
  sync: Sync,
  context: ContentContext,
  namespace: Stored<Namespace>,
  outcome: Outcome,
): Promise<Stored<Namespace>> {
  const before = namespace.status?.conditions ?? [];
  const conditions = updatedConditions(before, outcome, context.clock.nowMs());
  if (conditions === before) return namespace;
  return writeConditions(sync, context, { ...namespace, status: { ...namespace.status, conditions } });
}

/** The longest that any pod may take to end; the pods are looked at one by one and not kept. */
async function podSeconds(context: ContentContext, namespace: string, signal: AbortSignal): Promise<number> {
  let longest = 0;
  const look = (pod: Pod): void => void (longest = Math.max(longest, gracePeriodSeconds(pod)));
  await context.client.clientFor<Pod>(builtIn.pods).listEach({ namespace }, look, signal);
  return longest;
}

function isPods(resource: Resource): boolean {
  return resource.group === "" && resource.version === "v1" && resource.plural === "pods";
}

function unexpectedRemainder(namespace: string, resource: Resource): Error {
  const { group, version, plural } = resource;
  return new Error(
    `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${plural}`,
  );
}
