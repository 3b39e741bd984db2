import { POD_CIDR, SERVICE_CIDR } from "../../../pkg/cluster/cluster-server.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import type { ElectionTiming } from "../../../pkg/leader/election-timing.ts";
import type { ClusterSecrets } from "../../kube-controller-manager/cluster-secrets.ts";
import type { Options } from "../../kube-controller-manager/options/options.ts";
import { resolveOptions } from "../../kube-controller-manager/options/resolve.ts";
import { registry } from "../../kube-controller-manager/registry.ts";

export interface LoadedControllers {
  readonly controllers: readonly ControllerDescriptor[];
  readonly timing: ElectionTiming;
}

/** The controllers of these names, in this order, as the daemon has them without flags of the user's. */
export function loadControllers(names: readonly string[], secrets: ClusterSecrets): LoadedControllers {
  const options = daemonOptions();
  const built = new Map(registry(options, secrets).map((descriptor) => [descriptor.name, descriptor]));
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options.generic;
  return {
    controllers: names.map((name) => {
      const descriptor = built.get(name);
      if (descriptor === undefined) throw new Error(`${name} is not built`);
      return descriptor;
    }),
    timing: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
  };
}

/** With the ranges of addresses of this cluster. */
function daemonOptions(): Options {
  const ranges = [`--cluster-cidr=${POD_CIDR}`, `--service-cluster-ip-range=${SERVICE_CIDR}`];
  return resolveOptions(["--allocate-node-cidrs", ...ranges], () => "").options;
}
