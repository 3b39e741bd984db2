import { expect, test } from "vitest";
import { AppliedFields, appliedBy } from "./applied-fields.ts";

const fields = { "f:data": { "f:a": {} } };
const entries = (manager: string, more: object = {}): readonly unknown[] => [
  { manager, operation: "Update", fieldsV1: { "f:status": {} } },
  { manager, operation: "Apply", subresource: "status", fieldsV1: { "f:status": {} } },
  { manager, operation: "Apply", fieldsV1: structuredClone(fields), ...more },
];
const object = (): { readonly metadata: { readonly name: string } } => ({ metadata: { name: "a" } });

test("what a manager has applied is kept once for all objects, and nothing of other managers", () => {
  const applied = new AppliedFields();
  applied.keep("me");
  const [one, two, other] = [object(), object(), object()];
  applied.note(one, entries("me", { time: "2026-01-01T00:00:00Z" }));
  applied.note(two, entries("me", { time: "2026-01-02T00:00:00Z" }));
  applied.note(other, entries("somebody"));
  expect(appliedBy(one, "me")).toEqual(fields);
  expect(appliedBy(two, "me")).toBe(appliedBy(one, "me"));
  expect(appliedBy(other, "me")).toEqual({});
  expect(appliedBy(one, "somebody")).toBeUndefined();
});

test("copies of the object do not have it, and neither has its JSON", () => {
  const applied = new AppliedFields();
  applied.keep("me");
  const one = object();
  applied.note(one, entries("me"));
  expect(appliedBy({ ...one }, "me")).toBeUndefined();
  expect(JSON.stringify(one)).toBe('{"metadata":{"name":"a"}}');
});

test("of a cache that was not asked to keep it nothing is known", () => {
  const one = object();
  new AppliedFields().note(one, entries("me"));
  expect(appliedBy(one, "me")).toBeUndefined();
});
