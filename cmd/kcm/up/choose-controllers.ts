import { featureGates } from "../../../pkg/api/feature-gates.ts";
import { POD_CIDR, SERVICE_CIDR } from "../../../pkg/cluster/cluster.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import type { ClusterSecrets } from "../../kube-controller-manager/cluster-secrets.ts";
import { knownControllers } from "../../kube-controller-manager/known-controllers.ts";
import type { Options } from "../../kube-controller-manager/options/options.ts";
import { resolveOptions } from "../../kube-controller-manager/options/resolve.ts";
import { registry } from "../../kube-controller-manager/registry.ts";
import { selectControllers } from "../../kube-controller-manager/select-controllers.ts";

/** As the daemon has them with the ranges of addresses of this cluster, and no other flags. */
export function daemonOptions(): Options {
  const ranges = [`--cluster-cidr=${POD_CIDR}`, `--service-cluster-ip-range=${SERVICE_CIDR}`];
  return resolveOptions(["--allocate-node-cidrs", ...ranges], () => "").options;
}

/** Those that --controllers asks for, once there are secrets. Throws a FlagError for names that are not known. */
export function chooseControllers(
  items: readonly string[],
): (secrets: ClusterSecrets) => readonly ControllerDescriptor[] {
  const options = daemonOptions();
  const built = (secrets: ClusterSecrets): ReadonlyMap<string, ControllerDescriptor> =>
    new Map(registry(options, secrets).map((descriptor) => [descriptor.name, descriptor]));
  const names = built({ rootCa: notYet, tokenSigner: notYet });
  const { run } = selectControllers(items, knownControllers, (name) => names.has(name), featureGates());
  return (secrets) => run.flatMap((name) => built(secrets).get(name) ?? []);
}

function notYet(): never {
  throw new Error("a controller is built before its secrets are there");
}
