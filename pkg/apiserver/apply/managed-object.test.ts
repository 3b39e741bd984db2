import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../api/object.ts";
import { withTimesOfNoop } from "./managed-object.ts";

const object = (spec: object, ...times: string[]): ApiObject & { readonly spec: object } => ({
  metadata: {
    name: "a",
    managedFields: times.map((time, index) => ({
      manager: `m${index}`,
      operation: "Apply",
      ...(time !== "" && { time }),
      fieldsV1: { "f:spec": {} },
    })),
  },
  spec,
});

describe("withTimesOfNoop", () => {
  const live = object({ a: 1 }, "2024-01-01T00:00:00Z", "");

  test("puts the old times back when nothing else has changed", () => {
    expect(withTimesOfNoop(live, object({ a: 1 }, "2024-01-02T00:00:00Z", "2024-01-02T00:00:00Z"))).toEqual(
      live,
    );
  });

  test.each([
    object({ a: 2 }, "2024-01-02T00:00:00Z", ""),
    object({ a: 1 }, "2024-01-02T00:00:00Z"),
    object({ a: 1 }, "2024-01-02T00:00:00Z", "", ""),
    { metadata: { name: "a" }, spec: { a: 1 } },
  ])("leaves a change as it is", (next) => {
    expect(withTimesOfNoop(live, next)).toBe(next);
    expect(withTimesOfNoop({ metadata: { name: "a" } }, next)).toBe(next);
  });
});
