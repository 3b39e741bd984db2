import { describe, expect, test } from "vitest";
import { behaviorFromV1, behaviorToV1 } from "./behavior-form.ts";

const behavior = {
  scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: "Pods", value: 1, periodSeconds: 3 }] },
};
const written =
  '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":null,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":3}],"Tolerance":null},"ScaleDown":null}';

describe("the behaviour of an autoscaler in an annotation", () => {
  test("has the names that Go has for its fields, all of them", () => {
    expect(JSON.stringify(behaviorToV1(behavior))).toBe(written);
  });

  test.each([
    ["as it is written", JSON.parse(written), behavior],
    ["in small letters", { scaleup: { selectpolicy: "Min" } }, { scaleUp: { selectPolicy: "Min" } }],
    ["as v2 has it", behavior, behavior],
    ["of other fields", { scaleUp: { color: "red" } }, { scaleUp: {} }],
    ["of nothing", { ScaleUp: null }, undefined],
    ["that is no object", [1], undefined],
  ])("is read %s", (_, value: unknown, expected) => {
    expect(behaviorFromV1(value)).toEqual(expected);
  });
});
