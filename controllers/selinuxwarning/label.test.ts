import { expect, test } from "vitest";
import type { SELinuxOptions } from "../../pkg/api/types/core-v1.gen.ts";
import { labelOf, labelsConflict, partsOf } from "./label.ts";

// upstream: pkg/controller/volume/selinuxwarning/translator/selinux_translator_test.go#TestSELinuxOptionsToFileLabel
test.each<[SELinuxOptions, string]>([
  [
    { user: "system_u", role: "system_r", type: "container_t", level: "s0:c0,c1" },
    "system_u:system_r:container_t:s0:c0,c1",
  ],
  [{ type: "container_t", level: "s0:c0,c1" }, "::container_t:s0:c0,c1"],
  [{ level: "s0:c0,c1" }, ":::s0:c0,c1"],
  [{}, ""],
  [{ user: "" }, ""],
])("options %j are the label %j", (options, expected) => {
  expect(labelOf(options)).toBe(expected);
});

// upstream: pkg/controller/volume/selinuxwarning/translator/selinux_translator_test.go#TestLabelsConflict
test.each([
  ["", "", false],
  ["", "system_u:system_r:container_t", false],
  ["", "system_u:system_r:container_t:s0:c1,c2", true],
  [":::", "system_u:system_r:container_t", false],
  ["system_u:system_r:container_t:", "system_u:system_r", false],
  ["system_u:system_r:conflict_t:", "system_u:system_r:container_t", true],
  ["::conflict_t", "::container_t", true],
  ["system_u::container_t", ":system_r::", false],
  [":::s0:c1,c2", "", true],
  ["a:b:c:s0", "a:b:c:s0", false],
])("labels %j and %j conflict: %s", (one, other, expected) => {
  expect(labelsConflict(partsOf(one), partsOf(other))).toBe(expected);
  expect(labelsConflict(partsOf(other), partsOf(one))).toBe(expected);
});

// upstream: pkg/controller/volume/selinuxwarning/internal/parse/selinux_label_test.go#TestParseSELinuxLabel
test.each([
  ["", ["", "", "", ""]],
  ["system_u:system_r:container_t:s0:c0,c1", ["system_u", "system_r", "container_t", "s0:c0,c1"]],
  ["system_u:system_r:container_t", ["system_u", "system_r", "container_t", ""]],
  ["system_u:system_r", ["system_u", "system_r", "", ""]],
  ["system_u", ["system_u", "", "", ""]],
  [":system_r:container_t", ["", "system_r", "container_t", ""]],
  ["::container_t", ["", "", "container_t", ""]],
  ["::container_t:s0", ["", "", "container_t", "s0"]],
  [":::s0:c0,c1", ["", "", "", "s0:c0,c1"]],
  [
    "user_with_underscore:role-with-dash:type.with.dots:s0:c0.c1",
    ["user_with_underscore", "role-with-dash", "type.with.dots", "s0:c0.c1"],
  ],
  ["user:role:type:s0:c0,c1:extra", ["user", "role", "type", "s0:c0,c1:extra"]],
  [":::", ["", "", "", ""]],
  [":::::", ["", "", "", "::"]],
])("the parts of %j are %j", (label, expected) => {
  expect(partsOf(label)).toEqual(expected);
});
