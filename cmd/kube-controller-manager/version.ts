/** The Kubernetes version whose behaviour this program has; what follows the plus is its own. */
export const GIT_VERSION = "v1.36.4+ts.0";
export const KUBERNETES_VERSION = "1.36.4";
export const MINOR_VERSION = "1.36";
export const MIN_COMPATIBILITY_VERSION = "1.35";

/** How requests name this program; clients add what they are for. */
export function userAgent(): string {
  return `kube-controller-manager/${GIT_VERSION} (${process.platform}/${process.arch})`;
}
