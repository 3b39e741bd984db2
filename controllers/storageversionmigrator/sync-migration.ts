import { messageOf } from "../../pkg/api/errors.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { TurnOfSteps } from "../../pkg/clock/turns.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { failWith, finish, newest } from "./apply.ts";
import type { MigratorContext } from "./context.ts";
import { isFinished, migratedResource, type Migration } from "./migration.ts";
import { isOlder, ObjectsLeft, versionProblem } from "./objects-left.ts";
import { isLasting, listObjects, rewrite } from "./sync-objects.ts";
import { requireAge } from "./sync-version.ts";

/** Writes all objects of a resource anew that nobody has written since the migration began. */
export async function syncMigration(
  sync: OwnerSync<Migration>,
  context: MigratorContext,
): Promise<SyncResult> {
  const { owner, signal } = sync;
  const { resourceVersion = "" } = owner.status ?? {};
  if (isFinished(owner) || resourceVersion === "") return {};
  const resource = await context.served.find(migratedResource(owner), signal);
  if (resource === undefined) {
    requireAge(owner, context.clock);
    await failWith(context, sync, "unable to obtain GVR from discovery");
    return {};
  }
  const left = context.left.get(owner) ?? (await whatIsToDo(sync, context, resource));
  if (left !== undefined) await migrate(sync, context, resource, left);
  return {};
}

/** Undefined when the migration has failed. */
async function whatIsToDo(
  sync: OwnerSync<Migration>,
  context: MigratorContext,
  resource: ApiResource,
): Promise<ObjectsLeft | undefined> {
  const { owner, signal } = sync;
  const begunAt = owner.status?.resourceVersion ?? "";
  const left = new ObjectsLeft(begunAt);
  const listed = await listObjects(context, resource, left, signal);
  const problem = [listed, begunAt].map(versionProblem).find((one) => one !== undefined);
  if (problem !== undefined) {
    const what = "error comparing resource versions between GC and SVM resource";
    await failWith(context, sync, `${what}: ${problem}`);
    return undefined;
  }
  if (isOlder(listed, begunAt))
    throw new Error(`the list is of ${listed}, which is before ${begunAt}, where the migration begins`);
  if (left.malformed !== undefined) {
    await failWith(context, sync, versionProblem(left.malformed) ?? "");
    return undefined;
  }
  sync.decided("Objects are to be written anew", { resource: resource.plural, count: left.length });
  context.left.set(owner, left);
  return left;
}

async function migrate(
  sync: OwnerSync<Migration>,
  context: MigratorContext,
  resource: ApiResource,
  left: ObjectsLeft,
): Promise<void> {
  const { owner, signal } = sync;
  const turn = new TurnOfSteps(context.clock);
  for (let object = left.first(); object !== undefined; object = left.first()) {
    const next = turn.step();
    if (next !== undefined) await next;
    // Who deletes it, ends it.
    if (newest(context, owner) === undefined) return;
    try {
      await rewrite(context, resource, object, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isLasting(error)) throw error;
      sync.log.error(error, "An object cannot be migrated", { ...object });
      await failWith(context, sync, messageOf(error));
      context.left.delete(owner);
      return;
    }
    left.shift();
  }
  await finish(context, sync, "Succeeded", "");
  context.left.delete(owner);
}
