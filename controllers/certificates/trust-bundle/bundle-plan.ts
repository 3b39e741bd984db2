import type { Stored } from "../../../pkg/api/object.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";

export const SIGNER_NAME = "kubernetes.io/kube-apiserver-serving";

/** What is to become of the bundles of a signer. */
export interface BundlePlan {
  readonly create?: V1beta1ClusterTrustBundle;
  readonly update?: Stored<V1beta1ClusterTrustBundle>;
  readonly remove: readonly Stored<V1beta1ClusterTrustBundle>[];
}

/** There is one bundle, which is named after what is in it: the pods that use an older one read on until it is gone. */
export function planBundles(
  bundles: readonly Stored<V1beta1ClusterTrustBundle>[],
  { name, signerName, trustBundle }: { name: string; signerName: string; trustBundle: string },
): BundlePlan {
  const found = bundles.find(({ metadata }) => metadata.name === name);
  const remove = bundles.filter((bundle) => bundle !== found && bundle.spec.signerName === signerName);
  if (found === undefined)
    return { create: { metadata: { name }, spec: { signerName, trustBundle } }, remove };
  if (found.spec.trustBundle === trustBundle) return { remove };
  return { update: { ...found, spec: { ...found.spec, trustBundle } }, remove };
}

/** `hash` is that of the contents, in hexadecimal. upstream: clustertrustbundlepublisher/publisher.go#constructBundleName */
export function bundleName(signerName: string, hash: string): string {
  return `${signerName.replaceAll("/", ":")}:${hash.slice(0, 24)}`;
}
