import {
  CLAIM_NAME_ANNOTATION,
  EXTENDED_RESOURCE_ANNOTATION,
  hasAdminAccess,
} from "../../pkg/api/device-claims.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { Lister } from "../../pkg/cache/store/lister.ts";
import type { Counter, Labels, Metrics } from "../../pkg/metrics/metrics.ts";

/** Registers the metrics; those that tell of all claims are counted when they are asked for. */
export function claimMetrics(metrics: Metrics, claims: Pick<Lister<ResourceClaim>, "list">): Counter {
  const known = metrics.gauge({
    name: "resourceclaim_controller_resource_claims",
    help: "ResourceClaims, by whether they are allocated, have admin access, and what has made them.",
    labels: ["allocated", "admin_access", "source"],
    stability: "ALPHA",
  });
  metrics.onCollect(() => {
    known.reset();
    for (const claim of claims.list()) known.add(1, kindOf(claim));
  });
  return metrics.counter({
    name: "resourceclaim_controller_creates_total",
    help: "ResourceClaims that were tried to be created, by how that ended and whether they have admin access.",
    labels: ["status", "admin_access"],
    stability: "ALPHA",
  });
}

function kindOf(claim: ResourceClaim): Labels {
  const allocated = `${claim.status?.allocation !== undefined}`;
  return { allocated, admin_access: adminLabel(claim), source: sourceOf(claim) };
}

export function adminLabel(claim: Pick<ResourceClaim, "spec">): string {
  return `${hasAdminAccess(claim)}`;
}

function sourceOf({ metadata: { annotations = {} } }: ResourceClaim): string {
  if (annotations[EXTENDED_RESOURCE_ANNOTATION] === "true") return "extended_resource";
  return (annotations[CLAIM_NAME_ANNOTATION] ?? "") === "" ? "" : "resource_claim_template";
}
