import type { PolicyRule } from "../../api/types/rbac-v1.gen.ts";
import { pathMatches } from "./rbac-rules.ts";

/** What of the wanted rules nobody with the held ones has: broken down to single verbs, resources, names and paths. */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((single) => !held.some((rule) => covers(rule, single)));
}

function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  // Validation, which looks later, refuses a rule without verbs.
  const verbs: readonly string[] = (rule as Partial<PolicyRule>).verbs ?? [];
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const singles: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        for (const name of names) {
          const named = name === undefined ? {} : { resourceNames: [name] };
          singles.push({ apiGroups: [group], resources: [resource], ...named, verbs: [verb] });
        }
      }
    }
  }
  for (const url of nonResourceURLs) {
    for (const verb of verbs) singles.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return singles;
}

function covers(held: PolicyRule, single: PolicyRule): boolean {
  const heldNames = held.resourceNames ?? [];
  const [name] = single.resourceNames ?? [];
  const isNamed = heldNames.length === 0 || (name !== undefined && heldNames.includes(name));
  return (
    isNamed &&
    hasEach(held.verbs, single.verbs) &&
    hasEach(held.apiGroups, single.apiGroups) &&
    (single.resources ?? []).every((resource) => hasResource(held.resources ?? [], resource)) &&
    (single.nonResourceURLs ?? []).every((path) => pathMatches(held.nonResourceURLs ?? [], path))
  );
}

function hasEach(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes("*") || wanted.every((one) => held.includes(one));
}

function hasResource(held: readonly string[], wanted: string): boolean {
  if (held.includes("*") || held.includes(wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash >= 0 && held.includes(`*${wanted.slice(slash)}`);
}

/** Rules that differ in nothing but their verbs become one. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const complex: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    const isSimple =
      apiGroups.length === 1 &&
      resources.length === 1 &&
      resourceNames.length <= 1 &&
      nonResourceURLs.length === 0;
    if (!isSimple) {
      complex.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    simple.set(key, { ...rule, verbs: [...(simple.get(key)?.verbs ?? []), ...rule.verbs] });
  }
  return [...complex, ...simple.values()];
}

/** A rule as refusals show it. */
export function describeRule(rule: PolicyRule): string {
  const parts = (
    [
      ["APIGroups", rule.apiGroups],
      ["Resources", rule.resources],
      ["NonResourceURLs", rule.nonResourceURLs],
      ["ResourceNames", rule.resourceNames],
      ["Verbs", rule.verbs],
    ] as const
  ).flatMap(([title, values]) =>
    values === undefined || values.length === 0 ? [] : [`${title}:${quotedList(values)}`],
  );
  return `{${parts.join(", ")}}`;
}

/** As Go prints a list of strings. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}
