import { featureGates } from "../../../pkg/api/feature-gates.ts";
import { knownControllers } from "../../kube-controller-manager/known-controllers.ts";
import { selectControllers } from "../../kube-controller-manager/select-controllers.ts";

/** What a cluster gives its controllers of what some of them need. */
const given: ReadonlySet<string> = new Set(["allocate-node-cidrs", "service-account-private-key-file"]);

/** Names of those that --controllers asks for. Throws a FlagError for names that are not known. */
export function chooseControllers(items: readonly string[]): readonly string[] {
  const withoutNeed = knownControllers.filter(({ needs, ruledBy }) =>
    [needs, ruledBy].every((flag) => flag === undefined || given.has(flag)),
  );
  const names = new Set(withoutNeed.map(({ name }) => name));
  return selectControllers(items, knownControllers, (name) => names.has(name), featureGates()).run;
}
