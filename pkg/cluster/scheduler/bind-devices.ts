import { CLAIM_FINALIZER } from "../../api/device-claims.ts";
import type { Stored } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { ResourceClaim } from "../../api/types/resource-v1.gen.ts";
import type { Env } from "../../controller/env.ts";
import { deviceKey } from "./node-devices.ts";
import type { ClaimWrite } from "./pod-devices.ts";

/** Devices that claims are about to have, until the cache shows that they do. */
export class ClaimsInFlight {
  readonly #devices = new Map<string, readonly string[]>();

  has(device: string): boolean {
    return [...this.#devices.values()].some((devices) => devices.includes(device));
  }

  isOf({ metadata }: Stored<ResourceClaim>): boolean {
    return this.#devices.has(metadata.uid);
  }

  begin(writes: readonly ClaimWrite[]): void {
    for (const { claim, status } of writes)
      this.#devices.set(claim.metadata.uid, (status.allocation?.devices?.results ?? []).map(deviceKey));
  }

  /** The cache knows, or there is nothing to know. */
  end({ metadata }: { readonly metadata: { readonly uid?: string | undefined } }): void {
    this.#devices.delete(metadata.uid ?? "");
  }
}

/** Allocates and reserves, a claim after the other. What was written stays when a later one fails: it is the pod's. */
export async function writeClaims(
  { client }: Pick<Env, "client">,
  writes: readonly ClaimWrite[],
  inFlight: ClaimsInFlight,
  signal: AbortSignal,
): Promise<void> {
  const claims = client.clientFor<ResourceClaim>(resources.resourceClaims);
  inFlight.begin(writes);
  for (const [index, { claim, status }] of writes.entries()) {
    try {
      const kept = claim.metadata.finalizers?.includes(CLAIM_FINALIZER) ?? false;
      const finalizers = [...(claim.metadata.finalizers ?? []), CLAIM_FINALIZER];
      const held = kept
        ? claim
        : await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers } }, {}, signal);
      await claims.updateStatus({ ...held, status }, {}, signal);
    } catch (error) {
      for (const { claim: left } of writes.slice(index)) inFlight.end(left);
      throw error;
    }
  }
}
