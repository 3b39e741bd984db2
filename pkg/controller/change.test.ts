import { expect, test } from "vitest";
import type { ApiObject, Stored } from "../api/object.ts";
import { type Change, changeHandler, isBackground } from "./change.ts";

function told(): { changes: Change<ApiObject>[]; handler: ReturnType<typeof changeHandler<ApiObject>> } {
  const changes: Change<ApiObject>[] = [];
  return { changes, handler: changeHandler<ApiObject>((change) => void changes.push(change)) };
}

const object = (uid: string, resourceVersion: string): Stored => ({
  metadata: { namespace: "team", name: "web", uid, resourceVersion },
});
const first = object("1", "10");

test("an object comes, changes and goes", () => {
  const { changes, handler } = told();
  const second = object("1", "11");
  handler.onAdd?.(first, false);
  handler.onUpdate?.(first, second);
  handler.onDelete?.(second, false);
  expect(changes).toEqual([
    { type: "added", object: first, listed: false },
    { type: "updated", before: first, object: second, resync: false },
    { type: "deleted", object: second },
  ]);
  expect(changes.map(isBackground)).toEqual([false, false, false]);
});

test("a first list and the same version told again are no news", () => {
  const { changes, handler } = told();
  handler.onAdd?.(first, true);
  handler.onUpdate?.(first, object("1", "10"));
  expect(changes.map(isBackground)).toEqual([true, true]);
});

test("an object under the name of another is no update of it", () => {
  const { changes, handler } = told();
  const other = object("2", "12");
  handler.onUpdate?.(first, other);
  expect(changes).toEqual([
    { type: "deleted", object: first },
    { type: "added", object: other, listed: false },
  ]);
  expect(changes.map(isBackground)).toEqual([false, false]);
});
