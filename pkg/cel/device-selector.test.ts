import { describe, expect, test } from "vitest";
import { compileSelector, type SelectedDevice, selectsDevice } from "./device-selector.ts";

type Facts = Omit<SelectedDevice, "driver"> & { readonly driver?: string };

function compiled(expression: string) {
  const made = compileSelector(expression);
  if (typeof made === "string") throw new Error(made);
  return made;
}

const selects = (expression: string, facts: Facts = {}): boolean =>
  selectsDevice(compiled(expression).compiled, { driver: "dra.example.com", ...facts });

const yes = { bool: true };
const mine = `device.attributes["dra.example.com"]`;
const holds = `device.capacity["dra.example.com"]`;
const tens = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
const expensive = ["x", "y", "z", "z2", "z3", "z4", "z5"].reduceRight(
  (inner, variable) => `${tens}.all(${variable}, ${inner})`,
  "int('1'.find('[0-9]*')) < 100",
);
const all = [
  `${holds}.quantity.isGreaterThan(quantity("1Ki"))`,
  `${mine}.bool`,
  `${mine}.int > 0`,
  `${mine}.string == "fish"`,
  `${mine}.version.isGreaterThan(semver("0.0.1"))`,
  `${holds}["quantity"].isGreaterThan(quantity("1Ki"))`,
  `${mine}["bool"]`,
  `${mine}["int"] > 0`,
  `${mine}["string"] == "fish"`,
  `${mine}["version"].isGreaterThan(semver("0.0.1"))`,
].join(" && ");
const everything = {
  attributes: { bool: yes, int: { int: 1 }, string: { string: "fish" }, version: { version: "1.0.0" } },
  capacity: { quantity: { value: "1Mi" } },
};
const memory = { capacity: { memory: { value: "1Mi" } } };
const services = { attributes: { services: { string: "some_example_value" } } };
const many = Object.fromEntries(
  Array.from({ length: 32 }, (_, at) => [`dra.example.com/${"x".repeat(29)}-${at}`, { string: "abc" }]),
);

// upstream: k8s.io/dynamic-resource-allocation/cel/compile_test.go#TestCEL, as far as lists of attributes are off
describe("a selector of devices", () => {
  test.each<[string, string, number, boolean | string, Facts?]>([
    ["true", "true", 0, true],
    ["false", "false", 0, false],
    [
      "runtime-error-lookup-identifier",
      `device.attributes["no-such-domain"].noSuchAttr.isGreaterThan(quantity("0"))`,
      6,
      "no such key: noSuchAttr",
    ],
    [
      "runtime-error-lookup-map",
      `device.attributes["no-such-domain"]["noSuchAttr"].isGreaterThan(quantity("0"))`,
      6,
      "no such key: noSuchAttr",
    ],
    ["domain-check-negative", `"no-such-domain" in device.attributes`, 3, false],
    [
      "domain-check-positive",
      `"dra.example.com" in device.attributes`,
      3,
      true,
      { driver: "", attributes: { "dra.example.com/something": yes } },
    ],
    ["empty-driver-name", `device.driver == ""`, 2, true, { driver: "" }],
    ["real-driver-name", `device.driver == "dra.example.com"`, 4, true],
    ["driver-name-qualifier", `${mine}.name`, 4, true, { attributes: { name: yes } }],
    ["driver-name-qualifier-map-lookup", `${mine}["name"]`, 4, true, { attributes: { name: yes } }],
    ["bind", `cel.bind(dra, ${mine}, dra.name)`, 15, true, { attributes: { name: yes } }],
    [
      "qualified-attribute-name",
      `device.attributes["other.example.com"].name`,
      4,
      true,
      { attributes: { "other.example.com/name": yes } },
    ],
    ["int", `${mine}.name > 0`, 5, true, { attributes: { name: { int: 1 } } }],
    [
      "int beyond doubles",
      `${mine}.name == 9007199254740993`,
      5,
      true,
      { attributes: { name: { int: 9_007_199_254_740_993n } } },
    ],
    ["string", `${mine}.name == "fish"`, 5, true, { attributes: { name: { string: "fish" } } }],
    [
      "attribute-access-causes-match-error",
      `${mine}.names`,
      4,
      "attribute names: unsupported attribute value",
      { attributes: { names: {} } },
    ],
    [
      "version",
      `${mine}.name.isGreaterThan(semver("0.0.1"))`,
      6,
      true,
      { attributes: { name: { version: "1.0.0" } } },
    ],
    [
      "version_v",
      `${mine}.name.isGreaterThan(semver("v0.0.1", true)) && isSemver("v1.0.0", true)`,
      7,
      true,
      { attributes: { name: { version: "1.0.0" } } },
    ],
    [
      "quantity",
      `${holds}.name.isGreaterThan(quantity("1Ki"))`,
      6,
      true,
      { capacity: { name: { value: "1Mi" } } },
    ],
    [
      "check-positive",
      `"name" in ${holds} && ${holds}.name.isGreaterThan(quantity("1Ki"))`,
      10,
      true,
      { capacity: { name: { value: "1Mi" } } },
    ],
    ["check-negative", `!("name" in ${holds}) || ${holds}.name.isGreaterThan(quantity("1Ki"))`, 11, true],
    ["all", all, 52, true, everything],
    ["many", `${mine}.a && ${mine}.b && ${mine}.c`, 12, true, { attributes: { a: yes, b: yes, c: yes } }],
    [
      "check_attribute_domains",
      `device.attributes.exists_one(x, x == "dra.example.com")`,
      164,
      true,
      services,
    ],
    ["check_attribute_ids", `${mine}.exists_one(x, x == "services")`, 133, true, services],
    ["split_attribute", `${mine}.services.split("example").size() >= 2`, 19, true, services],
    [
      "regexp_attribute",
      `${mine}.services.matches("[^a]?sym")`,
      18,
      true,
      { attributes: { services: { string: "asymetric" } } },
    ],
    ["check_capacity_domains", `device.capacity.exists_one(x, x == "dra.example.com")`, 164, true, memory],
    ["check_capacity_ids", `${holds}.exists_one(x, x == "memory")`, 133, true, memory],
    ["expensive", expensive, 85_555_551, "actual cost limit exceeded", { attributes: many }],
    [
      "allow_multiple_allocations",
      "device.allowMultipleAllocations == true",
      3,
      true,
      { allowMultipleAllocations: true },
    ],
    ["allow_multiple_allocations_default", "device.allowMultipleAllocations == false", 3, true],
    [
      "allow_multiple_allocations_false",
      "device.allowMultipleAllocations == false",
      3,
      true,
      { allowMultipleAllocations: false },
    ],
    ["an attribute that is no bool", `${mine}.name`, 4, "no bool", { attributes: { name: { int: 1 } } }],
    [
      "a version that is none",
      `${mine}.name.isGreaterThan(semver("1.0.0"))`,
      6,
      "No Major.Minor.Patch elements",
      { attributes: { name: { version: "1" } } },
    ],
  ])("%s", (...[, expression, cost, expected, facts]) => {
    const made = compiled(expression);
    expect([made.cost, made.isTooComplex]).toEqual([cost, cost > 1_000_000]);
    if (typeof expected === "boolean") expect(selects(expression, facts)).toBe(expected);
    else expect(() => selects(expression, facts)).toThrow(expected);
  });

  test.each([
    [
      "nothing",
      "",
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting",
    ],
    ["syntax-error", "?!", "compilation failed: ERROR: <input>:1:1: Syntax error"],
    ["type-error", "1", "must evaluate to bool or the unknown type, not int"],
    ["a type that nobody knows", "dyn(true)", "must evaluate to bool or the unknown type, not dyn"],
    ["a list", "[1]", "must evaluate to bool or the unknown type, not list(int)"],
    [
      "includes-function-undeclared-error",
      `${mine}.name.includes("fish")`,
      "undeclared reference to 'includes'",
    ],
    ["a field that devices do not have", "device.nodeName == 'a'", "undefined field 'nodeName'"],
    ["another variable", "object == 'a'", "undeclared reference to 'object'"],
    [
      "elements of an attribute",
      `${mine}.name.exists(x, x > 0)`,
      "expression of type 'any' cannot be range of a comprehension",
    ],
  ])("is refused: %s", (_, expression, problem) => {
    expect(compileSelector(expression)).toContain(problem);
  });
});
