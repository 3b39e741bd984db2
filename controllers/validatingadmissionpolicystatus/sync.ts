import { compareInt64 } from "../../pkg/api/int64.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import type { PolicyStatusContext } from "./context.ts";
import type { CachedPolicy } from "./fields.ts";
import { gatherSchemas } from "./sync-schemas.ts";
import { checkTypes } from "./type-check.ts";

const FIELD_MANAGER = "validatingadmissionpolicy-status";

/** Tells of a policy, once for each generation, which of its expressions do not go with the types of what it is about. */
export async function syncPolicy(
  sync: OwnerSync<CachedPolicy>,
  context: PolicyStatusContext,
): Promise<SyncResult> {
  const { owner: policy, key: name, signal } = sync;
  const { generation = 0 } = policy.metadata;
  if (compareInt64(generation, policy.status?.observedGeneration ?? 0) <= 0) return {};
  const schemas = await gatherSchemas(policy, context, signal);
  const { clock, writes } = context;
  const steps = checkTypes(policy, schemas, (clock.nowMs() % 1_000) * 1_000_000);
  const expressionWarnings = await runInTurns(clock, steps);
  sync.decided("The types of its expressions were checked", {
    kinds: schemas.kinds.length,
    warnings: expressionWarnings.length,
  });
  const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
  const { uid } = policy.metadata;
  await writes.apply(
    sync,
    { metadata: { name, uid }, status: { observedGeneration: generation, typeChecking } },
    { fieldManager: FIELD_MANAGER, force: true, subresource: "status" },
  );
  return {};
}
