import { createHash } from "node:crypto";
import { resources } from "../../../pkg/api/resources.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";
import type { Cache } from "../../../pkg/controller/cache.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";
import { doublingBuckets } from "../../../pkg/metrics/buckets.ts";
import { bundleName, SIGNER_NAME } from "./bundle-plan.ts";

export interface TrustBundleSettings {
  /** What the API server's certificate is verified with, in PEM; "" when that is not known. Called once. */
  readonly rootCa: () => string;
}

/** The versions that bundles may be served in, the best one first. */
export const VERSIONS: readonly TypedResource<V1beta1ClusterTrustBundle>[] = [
  resources.clusterTrustBundles,
  resources.clusterTrustBundlesV1alpha1,
];

/** All that a sync works with. */
export type TrustBundleContext = ReturnType<typeof trustBundleContext>;

export function trustBundleContext(kit: Kit, { rootCa }: TrustBundleSettings) {
  const { metrics } = kit.env;
  const trustBundle = rootCa();
  const hash = createHash("sha256").update(trustBundle).digest("hex");
  return {
    env: kit.env,
    wanted: { name: bundleName(SIGNER_NAME, hash), signerName: SIGNER_NAME, trustBundle },
    /** Those of the signer, in the version that the server serves. There are none before that is known. */
    bundles: undefined as Cache<V1beta1ClusterTrustBundle> | undefined,
    syncs: metrics.counter({
      name: "clustertrustbundle_publisher_sync_total",
      help: "Number of syncs that occurred in cluster trust bundle publisher.",
      labels: ["code"],
      stability: "ALPHA",
    }),
    durations: metrics.histogram({
      name: "clustertrustbundle_publisher_sync_duration_seconds",
      help: "The time it took to sync a cluster trust bundle.",
      labels: ["code"],
      buckets: doublingBuckets(0.001, 15),
      stability: "ALPHA",
    }),
  };
}
