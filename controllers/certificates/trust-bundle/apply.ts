import { throwAll } from "../../../pkg/api/errors.ts";
import type { Stored } from "../../../pkg/api/object.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";
import { isGone } from "../../../pkg/controller/read-live.ts";
import type { BundlePlan } from "./bundle-plan.ts";

type BundleClient = Pick<ResourceClient<V1beta1ClusterTrustBundle>, "create" | "update" | "delete">;

/** What is out of date goes when the new one is there. One that cannot be deleted holds up no other. */
export async function applyPlan(
  client: BundleClient,
  { create, update, remove }: BundlePlan,
  signal: AbortSignal,
): Promise<void> {
  if (create !== undefined) await client.create(create, {}, signal);
  if (update !== undefined) await client.update(update, {}, signal);
  const failures: unknown[] = [];
  for (const bundle of remove) {
    try {
      await deleteBundle(client, bundle, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  throwAll(failures);
}

/** Deletes this very bundle, and not another that took its name. */
async function deleteBundle(
  client: BundleClient,
  { metadata: { name, uid } }: Stored<V1beta1ClusterTrustBundle>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
