import type { Stored } from "../../pkg/api/object.ts";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import type { Writer } from "../../pkg/controller/recorded-writes.ts";
import type { MigratorContext } from "./context.ts";
import type { statusAtBegin } from "./definition-status.ts";
import { migratedResource, type Migration, type State, inState } from "./migration.ts";

const FIELD_MANAGER = "migration-runner-controller";
/** upstream: client-go/util/retry#DefaultRetry */
const ATTEMPTS = 5;
const PAUSE_MS = 10;

/** The very migration as it is now; undefined when it is gone. Much can happen while thousands of objects are written. */
export function newest(
  { migrations }: MigratorContext,
  { metadata }: Stored<Migration>,
): Stored<Migration> | undefined {
  const found = migrations.lister.get(undefined, metadata.name);
  return found?.metadata.uid === metadata.uid ? found : undefined;
}

/** The migration has come to an end. */
export async function finish(
  context: MigratorContext,
  writer: Writer & { readonly owner: Stored<Migration> },
  state: Exclude<State, "Running">,
  message: string,
): Promise<void> {
  const migration = newest(context, writer.owner);
  if (migration === undefined) return;
  await context.writes.updateStatus(writer, inState(migration, state, message, context.clock.nowMs()));
}

/** What went wrong will go wrong again. */
export async function failWith(
  context: MigratorContext,
  writer: Writer & { readonly owner: Stored<Migration> },
  problem: string,
): Promise<void> {
  await finish(context, writer, "Failed", `migration encountered unhandled error: ${problem}`);
}

/**
 * Tells the definition of the migrated resource, where it has one. That is written in the very version that was read: what
 * is said of stored versions is true of no other.
 */
export async function tellDefinition(
  { definitionClient, clock }: MigratorContext,
  migration: Stored<Migration>,
  statusFor: typeof statusAtBegin,
  signal: AbortSignal,
): Promise<void> {
  const { group, resource } = migratedResource(migration);
  if (group === "") return;
  for (let attempt = 1; ; attempt++) {
    let definition: Stored<CustomResourceDefinition>;
    try {
      definition = await definitionClient.get({ name: `${resource}.${group}` }, {}, signal);
    } catch (error) {
      // The resource is no custom one.
      if (isNotFound(error)) return;
      throw error;
    }
    const { name, uid, resourceVersion } = definition.metadata;
    const status = statusFor(definition, migration, clock.nowMs());
    try {
      await definitionClient.apply(
        { metadata: { name, uid, resourceVersion }, status },
        { fieldManager: FIELD_MANAGER, force: true, subresource: "status" },
        signal,
      );
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}
