import { throwAll } from "../../../pkg/api/errors.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";
import { deleteThis } from "../../../pkg/controller/delete-this.ts";
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
      await deleteThis(client, bundle.metadata, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  throwAll(failures);
}
