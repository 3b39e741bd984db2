import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { EventRation } from "./event-ration.ts";

test("200 at once, then 50 a second, and never a part of what belongs together", async () => {
  const clock = new VirtualClock();
  const ration = new EventRation(clock);
  const taken = (): number => {
    let events = 0;
    while (ration.take(4)) events += 4;
    return events;
  };
  expect(taken()).toBe(200);
  await clock.advanceBy(50);
  expect(ration.take(4)).toBe(false);
  await clock.advanceBy(950);
  expect(taken()).toBe(48);
  await clock.advanceBy(3_600_000);
  expect(taken()).toBe(200);
});
