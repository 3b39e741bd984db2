import type { PartialObject } from "./object.ts";
import { selectorFromLabels } from "./labels.ts";
import type { NodeMatcher } from "./node-selector.ts";
import { compileNodeSelector, compileNodeSelectorTerm } from "./node-selector.ts";
import type { PodSpec, PreferredSchedulingTerm } from "./types/core-v1.gen.ts";

/** The nodes that a pod may run on at all: its nodeSelector, and what its node affinity requires. */
export function requiredNodeAffinity(spec: Pick<PodSpec, "nodeSelector" | "affinity">): NodeMatcher {
  const labels = selectorFromLabels(spec.nodeSelector);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required === undefined ? undefined : compileNodeSelector(required);
  return {
    matches: (node) => labels.matches(node.metadata.labels) && (terms?.matches(node) ?? true),
    errors: terms?.errors ?? [],
  };
}

export interface NodePreference {
  /** The weights of all terms that fit the node, added up. */
  score(node: PartialObject): number;
  readonly errors: readonly string[];
}

/** The nodes that a pod would rather run on. Terms of weight 0 are not even looked at. */
export function preferredNodeAffinity(terms: readonly PreferredSchedulingTerm[]): NodePreference {
  const weighted = terms.flatMap(({ weight, preference }, index) =>
    weight === 0 ? [] : [{ weight, matcher: compileNodeSelectorTerm(preference, `[${index}]`) }],
  );
  return {
    score: (node) =>
      weighted.reduce((sum, { weight, matcher }) => sum + (matcher.matches(node) ? weight : 0), 0),
    errors: weighted.flatMap(({ matcher }) => matcher.errors),
  };
}
