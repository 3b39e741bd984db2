import { describe, expect, test } from "vitest";
import type { PolicyRule } from "../../api/types/rbac-v1.gen.ts";
import { parseRule, pathMatches } from "./rbac-rules.ts";
import { compactRules, describeRule, missingRules } from "./rule-cover.ts";

/** Written as parseRule reads them. */
const rules = (...texts: readonly string[]): readonly PolicyRule[] => texts.map(parseRule);

interface Covering {
  readonly what: string;
  readonly held: readonly PolicyRule[];
  readonly wanted: readonly PolicyRule[];
  readonly missing?: readonly PolicyRule[];
}

const bothGroups = ["delete,update group1,group2 builds,deployments"];
const pieces = [
  "delete group1 deployments",
  "delete group1 builds",
  "update group1 builds,deployments",
  "delete group2 deployments",
  "delete group2 builds",
  "update group2 builds,deployments",
];

// upstream: auth/rbac/validation/policy_comparator_test.go
const coverings: readonly Covering[] = [
  { what: "the same rule", held: rules("get v1 builds"), wanted: rules("get v1 builds") },
  { what: "a subresource of all", held: rules("get v1 */scale"), wanted: rules("get v1 foo/scale") },
  {
    what: "several rules cover one",
    held: rules("delete v1 deployments", "delete v1 builds", "update v1 builds,deployments"),
    wanted: rules("delete,update v1 builds,deployments"),
  },
  { what: "rules of several groups cover one", held: rules(...pieces), wanted: rules(...bothGroups) },
  { what: "one rule of several groups covers many", held: rules(...bothGroups), wanted: rules(...pieces) },
  {
    what: "one pair of verb and resource is missing",
    held: rules("delete,update v1 builds,deployments", "delete v1 pods"),
    wanted: rules("delete,update v1 builds,deployments,pods"),
    missing: rules("update v1 pods"),
  },
  { what: "all groups cover two", held: rules("get * roles"), wanted: rules("get group1,group2 roles") },
  {
    what: "one group does not cover all",
    held: rules("get dummy-group roles"),
    wanted: rules("get * roles"),
    missing: rules("get * roles"),
  },
  { what: "all groups cover all groups", held: rules("get * roles"), wanted: rules("get * roles") },
  { what: "all verbs cover two", held: rules("* v1 roles"), wanted: rules("watch,list v1 roles") },
  {
    what: "the usual verbs are not all verbs",
    held: rules("get,list,watch,create,update,delete,exec v1 roles"),
    wanted: rules("* v1 roles"),
    missing: rules("* v1 roles"),
  },
  { what: "all verbs cover all verbs", held: rules("* v1 roles"), wanted: rules("* v1 roles") },
  {
    what: "all resources cover one",
    held: rules("get v1 *"),
    wanted: rules("get v1 resourcegroup:deployments"),
  },
  {
    what: "two resources are not all",
    held: rules("get v1 roles,resourcegroup:deployments"),
    wanted: rules("get v1 *"),
    missing: rules("get v1 *"),
  },
  { what: "all resources cover all resources", held: rules("get v1 *"), wanted: rules("get v1 *") },
  { what: "no names cover any names", held: rules("get v1 pods"), wanted: rules("get v1 pods foo,bar") },
  {
    what: "names do not cover no names",
    held: rules("get v1 pods foo,bar"),
    wanted: rules("get v1 pods"),
    missing: rules("get v1 pods"),
  },
  { what: "the same path", held: rules("* /apis"), wanted: rules("* /apis") },
  { what: "all paths", held: rules("* *"), wanted: rules("* /apis,/apis/v1,/") },
  {
    what: "what is below a path is not the path",
    held: rules("* /apis/*"),
    wanted: rules("get /apis,/apis/v1"),
    missing: rules("get /apis"),
  },
  { what: "what is below a path", held: rules("* /apis/*"), wanted: rules("get /apis/v1/foo,/apis/v1") },
  {
    what: "resources and paths in one rule",
    held: [{ ...parseRule("get v1 builds"), nonResourceURLs: ["/apis"] }],
    wanted: [{ ...parseRule("get v1 builds"), nonResourceURLs: ["/apis"] }],
  },
  {
    what: "of resources and paths in one rule the paths are missing",
    held: rules("get v1 builds"),
    wanted: [{ ...parseRule("get v1 builds"), nonResourceURLs: ["/apis"] }],
    missing: rules("get /apis"),
  },
];

test.each(coverings)("what rules give away: $what", ({ held, wanted, missing = [] }) => {
  expect(missingRules(held, wanted)).toEqual(missing);
});

test.each([
  ["*", "", true],
  ["*", "/", true],
  ["*", "/api", true],
  ["/*", "", false],
  ["/*", "/", true],
  ["/*", "/foo", true],
  ["/api", "/api", true],
  ["/apis", "/api", false],
  ["/api/v1", "/api", false],
  ["/api/v1", "/api/v1", true],
  ["/api/*", "/api/v1", true],
  ["/api/*", "/api", false],
  ["/api/*/*", "/api/v1", false],
  ["/*/v1/*", "/api/v1", false],
] as const)("the path %s and %s: %s", (held, wanted, covered) => {
  expect(pathMatches([held], wanted)).toBe(covered);
});

// upstream: pkg/registry/rbac/validation/policy_compact_test.go
describe("rules that differ in their verbs become one", () => {
  const simple = rules(
    "get core builds",
    "list core builds",
    "update,patch core builds",
    "create extensions daemonsets",
    "delete extensions daemonsets",
    "get extensions daemonsets foo",
    "list extensions daemonsets foo",
    "educate core dolphins",
  );
  const cases: readonly (readonly [string, readonly PolicyRule[], readonly PolicyRule[]])[] = [
    ["none", [], []],
    [
      "simple ones",
      [...simple, { ...parseRule("patch extensions daemonsets"), resourceNames: [""] }],
      [
        ...rules(
          "get,list,update,patch core builds",
          "create,delete extensions daemonsets",
          "get,list extensions daemonsets foo",
          "educate core dolphins",
        ),
        { ...parseRule("patch extensions daemonsets"), resourceNames: [""] },
      ],
    ],
    ...[
      rules("get core,builds.openshift.io builds", "list core,builds.openshift.io builds"),
      rules("get core builds,images", "list core builds,images"),
      rules("get core builds mybuild", "list core builds mybuild2"),
      [
        { ...parseRule("get core builds"), nonResourceURLs: ["/"] },
        { ...parseRule("get core builds"), nonResourceURLs: ["/foo"] },
      ],
    ].map((many) => ["not these", many, many] as const),
  ];
  test.each(cases)("%s", (_, many, few) => {
    expect(compactRules(many)).toEqual(few);
    expect(missingRules(many, few)).toEqual([]);
    expect(missingRules(few, many)).toEqual([]);
  });
});

// upstream: pkg/apis/rbac/v1/evaluation_helpers_test.go
test("a rule in words", () => {
  expect(describeRule({ verbs: [] })).toBe("{}");
  expect(
    describeRule({
      verbs: ["verb1", "verb2"],
      apiGroups: ["group1", "group2"],
      resources: ["resource1", "resource2"],
      resourceNames: ["name1", "name2"],
      nonResourceURLs: ["url1", "url2"],
    }),
  ).toBe(
    '{APIGroups:["group1" "group2"], Resources:["resource1" "resource2"], NonResourceURLs:["url1" "url2"], ' +
      'ResourceNames:["name1" "name2"], Verbs:["verb1" "verb2"]}',
  );
});
