import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { resolveOptions } from "../kube-controller-manager/options/resolve.ts";
import { registry } from "../kube-controller-manager/registry.ts";

/** Those that are of use without keys, ranges of addresses and clouds: what a cluster for tests has by itself. */
const NOT_FOR_TESTS: ReadonlySet<string> = new Set([
  "bootstrap-signer-controller",
  "token-cleaner-controller",
]);

/** The controllers of the daemon with its usual settings, for a cluster of a test. */
export function builtInControllers(): readonly ControllerDescriptor[] {
  const { options } = resolveOptions([], () => "");
  return registry(options, { rootCa: () => "" }).filter(({ name }) => !NOT_FOR_TESTS.has(name));
}
