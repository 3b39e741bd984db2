import { expect, test } from "vitest";
import { stored } from "../../test/harness/stored.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { WithoutEffect } from "./without-effect.ts";

const object = (resourceVersion: string, status?: object, uid = "uid") =>
  stored({ metadata: { name: "a", uid, resourceVersion }, ...(status && { status }) });
const SENT = { replicas: 1, terminating: 0 };
const ANSWER = object("5", { replicas: 1 });

test.each([
  ["the same again", object("5", SENT), ANSWER],
  ["another status", object("5", { ...SENT, replicas: 2 }), undefined],
  ["no status", object("5"), undefined],
  ["the same for a later version", object("6", SENT), undefined],
  ["the same for another object", object("5", SENT, "another"), undefined],
])("a status became nothing, and what is known of %s", (_, sent, expected) => {
  const idle = new WithoutEffect(new VirtualClock());
  idle.note(object("5", SENT), ANSWER);
  expect(idle.answerTo(sent)).toBe(expected);
});

test("nothing is known of a status that the server has taken", () => {
  const idle = new WithoutEffect(new VirtualClock());
  idle.note(object("5", SENT), ANSWER);
  idle.note(object("5", { replicas: 2 }), object("6", { replicas: 2 }));
  expect(idle.answerTo(object("5", SENT))).toBeUndefined();
  expect(idle.answerTo(object("5", { replicas: 2 }))).toBeUndefined();
});

test("it is believed for ten minutes", async () => {
  const clock = new VirtualClock();
  const idle = new WithoutEffect(clock);
  idle.note(object("5", SENT), ANSWER);
  await clock.advanceBy(600_000);
  expect(idle.answerTo(object("5", SENT))).toBe(ANSWER);
  await clock.advanceBy(1);
  expect(idle.answerTo(object("5", SENT))).toBeUndefined();
});

test("of very many objects the oldest are forgotten", () => {
  const idle = new WithoutEffect(new VirtualClock());
  const of = (index: number) => object("5", SENT, `uid-${index}`);
  for (let index = 0; index <= 1_000; index++) idle.note(of(index), of(index));
  expect([0, 1, 1_000].map((index) => idle.answerTo(of(index)) !== undefined)).toEqual([false, true, true]);
});
