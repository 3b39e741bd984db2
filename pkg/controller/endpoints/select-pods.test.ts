import { expect, test } from "vitest";
import { listerOf } from "../../../test/harness/lister-of.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Pod, Service } from "../../api/types/core-v1.gen.ts";
import { selectPods } from "./select-pods.ts";

const service: Service = { metadata: { namespace: "ns", name: "web" }, spec: { selector: { app: "web" } } };

class CountingClock extends VirtualClock {
  turns = 0;

  override async turn(): Promise<void> {
    this.turns++;
  }
}

test.each([
  [20, 0],
  [20_000, 1],
])("selecting among %i pods takes %i turns of its own", async (count, turns) => {
  const pods = Array.from({ length: count }, (_, index): Pod => {
    const labels = { app: index % 2 === 0 ? "web" : "db" };
    return { metadata: { namespace: "ns", name: `pod-${index}`, labels } };
  });
  const clock = new CountingClock();
  const selected = await selectPods(service, listerOf(pods), clock);
  expect(selected).toEqual(pods.filter((_, index) => index % 2 === 0));
  expect(clock.turns).toBe(turns);
});
