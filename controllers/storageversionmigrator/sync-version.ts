import { parseTime } from "../../pkg/api/time.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { finish } from "./apply.ts";
import type { MigratorContext } from "./context.ts";
import { isMigratable, NEEDED_VERBS } from "./migratable.ts";
import { isFinished, isRunning, migratedResource, type Migration } from "./migration.ts";
import { versionProblem } from "./objects-left.ts";

/** Nobody can have made a namespace of that name. */
const NO_NAMESPACE = "@fake:svm_ns!";
/** A resource that is not served yet may be so by then. */
const GRACE_MS = 60_000;

/** Notes the version of the resource at which a migration begins: what is written later is stored as it should be. */
export async function syncVersion(sync: OwnerSync<Migration>, context: MigratorContext): Promise<SyncResult> {
  const { owner, signal } = sync;
  if (!isRunning(owner) || isFinished(owner) || (owner.status?.resourceVersion ?? "") !== "") return {};
  const resource = await context.served.find(migratedResource(owner), signal);
  if (resource === undefined) {
    requireAge(owner, context.clock);
    await finish(context, sync, "Failed", "resource does not exist in discovery");
    return {};
  }
  const name = nameOf(resource);
  if (!isMigratable(resource)) {
    const verbs = NEEDED_VERBS.join(" ");
    await finish(
      context,
      sync,
      "Failed",
      `resource "${name}" does not support discovery operations: [${verbs}]`,
    );
    return {};
  }
  const resourceVersion = await versionOf(context, resource, signal);
  const problem = versionProblem(resourceVersion);
  if (problem !== undefined) {
    await finish(context, sync, "Failed", `latest resourceVersion for ${name} is not valid: ${problem}`);
    return {};
  }
  sync.decided("The migration begins at this version", { resourceVersion });
  await context.writes.updateStatus(sync, { ...owner, status: { ...owner.status, resourceVersion } });
  return {};
}

/** Throws for a migration that is younger than the server may take to serve a new resource: it is looked for again. */
export function requireAge({ metadata }: Migration, clock: Clock): void {
  const ageMs = clock.nowMs() - (parseTime(metadata.creationTimestamp) ?? 0);
  if (ageMs < GRACE_MS) throw new Error("the resource is not served, and may be so in a moment");
}

/** As Go writes it: "apps/v1, Resource=deployments". */
function nameOf({ group, version, plural }: ApiResource): string {
  return `${group}/${version}, Resource=${plural}`;
}

/** A list of nothing tells the version, too; where there are no namespaces it is a list of one. */
async function versionOf(
  { client }: MigratorContext,
  resource: ApiResource,
  signal: AbortSignal,
): Promise<string> {
  try {
    const where = resource.namespaced ? { namespace: NO_NAMESPACE } : {};
    const { metadata } = await client.metadata(resource).list({ ...where, limit: 1 }, signal);
    return metadata.resourceVersion ?? "";
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`error getting latest resourceVersion for ${nameOf(resource)}`, { cause });
  }
}
