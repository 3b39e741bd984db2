import { items, type Json, strings, text } from "../../../api/json.ts";
import { labelValueProblems } from "../../../api/labels-validate.ts";

/** upstream: pkg/api/node/util.go */
const deprecatedLabels: Readonly<Record<string, string>> = {
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
  "scheduler.alpha.kubernetes.io/preferAvoidPods":
    "deprecated since v1.22; use Taints and Tolerations instead",
};

/** Of labels of nodes that have other names by now; undefined for all others. */
export function deprecatedLabel(key: string): string | undefined {
  return Object.hasOwn(deprecatedLabels, key) ? deprecatedLabels[key] : undefined;
}

export function keyWarnings(key: string, path: string): readonly string[] {
  const why = deprecatedLabel(key);
  return why === undefined ? [] : [`${path}: ${key} is ${why}`];
}

/** Values are looked at where a term is only preferred: elsewhere odd ones are refused. */
export function nodeTermWarnings(
  term: Json | undefined,
  path: string,
  withValues = false,
): readonly string[] {
  return items(term, "matchExpressions").flatMap((expression, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const values = withValues ? strings(expression, "values") : [];
    return [
      ...keyWarnings(text(expression, "key"), `${at}.key`),
      ...values.flatMap((value, place) =>
        labelValueProblems(value).map((problem) => `${at}.values[${place}]: ${value} is invalid, ${problem}`),
      ),
    ];
  });
}
