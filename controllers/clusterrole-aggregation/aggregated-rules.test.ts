import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { ClusterRole, PolicyRule } from "../../pkg/api/types/rbac-v1.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { decideRules } from "./aggregated-rules.ts";

const hammer: readonly PolicyRule[] = [
  { verbs: ["hammer"], resources: ["nails"] },
  { verbs: ["hammer"], resources: ["wedges"] },
];
const chisel: readonly PolicyRule[] = [{ verbs: ["chisel"], resources: ["mortises"] }];
const saw: readonly PolicyRule[] = [{ verbs: ["saw"], resources: ["boards"] }];

describe("an aggregated role", () => {
  // upstream: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller_test.go#TestSyncClusterRole
  test.each<[string, readonly Stored<ClusterRole>[], Stored<ClusterRole>, readonly PolicyRule[] | undefined]>(
    [
      ["loses rules that no role has", [role("hammer", "bar", hammer)], combined(["bar"], saw), hammer],
      [
        "loses all when it selects nothing",
        [role("hammer", "not-bar", hammer)],
        combined(["bar"], hammer),
        [],
      ],
      [
        "gets the rules of those that it selects, by name",
        [role("hammer", "bar", hammer), role("chisel", "bar", chisel), role("saw", "not-bar", saw)],
        combined(["bar"]),
        [...chisel, ...hammer],
      ],
      [
        "gets the rules of each selector in turn",
        [role("hammer", "bar", hammer), role("chisel", "bar", chisel), role("saw", "not-bar", saw)],
        combined(["bar", "not-bar"]),
        [...chisel, ...hammer, ...saw],
      ],
      [
        "gets each rule once",
        [
          role("hammer", "bar", hammer),
          role("chisel", "bar", chisel),
          role("saw", "bar", saw),
          role("other-saw", "not-bar", saw),
        ],
        combined(["bar", "not-bar"]),
        [...chisel, ...hammer, ...saw],
      ],
      [
        "stays as it is when it has these rules",
        [role("hammer", "bar", hammer)],
        combined(["bar"], hammer),
        undefined,
      ],
    ],
  )("%s", (_, roles, aggregated, expected) => {
    expect(decideRules(aggregated, [...roles, aggregated])).toEqual(expected);
  });

  test("does not take its own rules for those of another", () => {
    const one = combined(["bar"], saw);
    const own = { ...one, metadata: { ...one.metadata, labels: { foo: "bar" } } };
    expect(decideRules(own, [own])).toEqual([]);
  });

  test("takes null for no rules, as API servers write it of roles that are new", () => {
    const rules = null as unknown as readonly PolicyRule[];
    const others = [role("new", "bar", rules), role("hammer", "bar", hammer)];
    expect(decideRules(combined(["bar"], rules), others)).toEqual(hammer);
    expect(decideRules(combined(["bar"], rules), [role("new", "bar", rules)])).toBeUndefined();
  });

  test("takes nothing and an empty list for the same", () => {
    const empty = [{ verbs: ["saw"], resources: ["boards"], resourceNames: [] }];
    expect(decideRules(combined(["bar"], saw), [role("saw", "bar", empty)])).toBeUndefined();
  });
});

test("rules differ by each of their parts", () => {
  const parts = ["apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;
  const rules = parts.flatMap((part): readonly PolicyRule[] => [
    { verbs: ["get"], [part]: ["a"] },
    { verbs: ["get"], [part]: ["a", "b"] },
    { verbs: ["get"], [part]: ["b", "a"] },
  ]);
  const twice = [...rules, { verbs: ["list"] }, ...rules];
  expect(decideRules(combined(["bar"]), [role("all", "bar", twice)])).toEqual([
    ...rules,
    { verbs: ["list"] },
  ]);
});

test("thousands of rules are little work: who may write roles must not stop the others", () => {
  const many = (verb: string): PolicyRule[] =>
    Array.from({ length: 4_000 }, (_, index) => ({ verbs: [verb], resources: [`r${index}`] }));
  const startMs = realClock.monotonicMs();
  const rules = decideRules(combined(["bar"]), [
    role("one", "bar", many("get")),
    role("two", "bar", many("list")),
  ]);
  expect(rules).toHaveLength(8_000);
  // Each with each, they would take many seconds.
  expect(realClock.monotonicMs() - startMs).toBeLessThan(2_000);
});

test("a role that aggregates nothing keeps its rules", () => {
  expect(decideRules(role("plain", "bar", saw), [role("other", "bar", hammer)])).toBeUndefined();
});

function role(name: string, foo: string, rules: readonly PolicyRule[]): Stored<ClusterRole> {
  return asStored<ClusterRole>({ metadata: { name, labels: { foo } }, rules });
}

function combined(selected: readonly string[], rules: readonly PolicyRule[] = []): Stored<ClusterRole> {
  const clusterRoleSelectors = selected.map((foo) => ({ matchLabels: { foo } }));
  return asStored<ClusterRole>({
    metadata: { name: "combined" },
    aggregationRule: { clusterRoleSelectors },
    rules,
  });
}
