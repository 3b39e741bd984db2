import { describe, expect, test } from "vitest";
import { compile } from "./compile.ts";
import { policyEnvironment, type PolicyScope, requestEnvironment } from "./request-types.ts";
import { intType } from "./types.ts";

const plain: PolicyScope = { params: false, authorizer: false };
const ALWAYS = [
  "object.a == 1",
  "oldObject == null",
  "namespaceObject.metadata.name == ''",
  "request.name == ''",
];
const AUTHORIZER = [
  "authorizer.path('/').check('get').allowed()",
  "authorizer.requestResource.check('get').allowed()",
];

test.each<[string, PolicyScope, readonly string[]]>([
  ["nothing else", plain, []],
  ["parameters", { ...plain, params: true }, ["params.a == 1"]],
  ["what users may do", { ...plain, authorizer: true }, AUTHORIZER],
  [
    "patches",
    { ...plain, patches: true },
    ["JSONPatch{op: 'remove', path: '/a'} == null", "Object{} == null"],
  ],
])("a policy speaks of requests, and of %s", (_, scope, own) => {
  const environment = policyEnvironment(scope, undefined);
  const others = [
    "params.a == 1",
    ...AUTHORIZER,
    "JSONPatch{op: 'remove', path: '/a'} == null",
    "Object{} == null",
    "variables.a == 1",
  ];
  const understood = [...ALWAYS, ...others].filter((text) => typeof compile(text, environment) !== "string");
  expect(understood).toEqual([...ALWAYS, ...own]);
});

describe("variables", () => {
  const environment = policyEnvironment(plain, new Map([["a", intType]]));

  test("are those of the policy, with their types", () => {
    expect(compile("variables.a == 1", environment)).not.toEqual(expect.any(String));
    expect(compile("variables.b == 1", environment)).toMatch("undefined field 'b'");
    expect(compile("variables.a == 'b'", environment)).toMatch("found no matching overload");
  });
});

test("a condition of a webhook speaks of requests and of what users may do", () => {
  for (const text of [...ALWAYS, ...AUTHORIZER])
    expect(compile(text, requestEnvironment), text).not.toEqual(expect.any(String));
  expect(compile("params.a == 1", requestEnvironment)).toEqual(expect.any(String));
});
