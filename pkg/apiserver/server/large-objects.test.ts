import { expect, test } from "vitest";
import type { Clock } from "../../clock/clock.ts";
import { seededRandom } from "../../clock/random.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";

/** Time goes on with every look at it, so that whoever looks would have had its share: what is counted is how often. */
class CountingClock implements Clock {
  turns = 0;
  mostWaiting = 0;
  #waiting = 0;
  #ms = 0;

  nowMs(): number {
    return 0;
  }
  monotonicMs(): number {
    return (this.#ms += 5);
  }
  setTimer(): { cancel: () => void } {
    return { cancel: () => undefined };
  }
  async turn(): Promise<void> {
    this.turns++;
    this.#waiting++;
    this.mostWaiting = Math.max(this.mostWaiting, this.#waiting);
    await Promise.resolve();
    this.#waiting--;
  }
}

const ENTRIES = 6_400;
const path = "/api/v1/namespaces/default/configmaps";
const one = `${path}/large`;
const data = Object.fromEntries(Array.from({ length: ENTRIES }, (_, at) => [`k${at}`, "v"]));
const whole = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data };
const little = '{"metadata":{"labels":{"a":"b"}}}';
const apply = "application/apply-patch+yaml";

interface Asked extends Pick<ApiRequest, "method" | "path"> {
  readonly type?: string;
  readonly text: string;
  readonly manager?: string;
}

const create: Asked = { method: "POST", path, text: JSON.stringify(whole) };
const applied: Asked = { method: "PATCH", path: one, type: apply, text: JSON.stringify(whole), manager: "a" };

/** Passes through the object, and pauses within those that are long: what a comparison has is one for 64 entries. */
const within = ENTRIES / 64;

test.each<{ what: string; first: readonly Asked[]; asked: Asked; least: number }>([
  { what: "create", first: [], asked: create, least: 17 + within },
  {
    what: "update",
    first: [create],
    asked: { method: "PUT", path: one, text: create.text },
    least: 24 + within,
  },
  {
    what: "merge patch",
    first: [create],
    asked: { method: "PATCH", path: one, type: "application/merge-patch+json", text: little },
    least: 25 + within,
  },
  {
    what: "strategic merge patch",
    first: [create],
    asked: { method: "PATCH", path: one, type: "application/strategic-merge-patch+json", text: little },
    least: 25 + within,
  },
  { what: "apply", first: [], asked: applied, least: 24 + 4 * within },
  { what: "apply again", first: [applied], asked: applied, least: 35 + 6 * within },
])("$what: others have their turns between the passes through an object", async ({ first, asked, least }) => {
  const clock = new CountingClock();
  const server = embeddedServer({ clock, random: seededRandom(1) });
  const send = async ({
    method,
    path,
    type = "application/json",
    text,
    manager = "",
  }: Asked): Promise<ApiResponse> =>
    server.handle({
      method,
      path,
      query: new URLSearchParams(manager === "" ? {} : { fieldManager: manager }),
      headers: { "content-type": type },
      body: { text },
    });
  for (const before of first) expect((await send(before)).status).toBeLessThan(300);
  clock.turns = 0;
  expect((await send(asked)).status).toBeLessThan(300);
  expect(clock.turns).toBeGreaterThanOrEqual(least);
  // Each is waited for before the work goes on.
  expect(clock.mostWaiting).toBe(1);
});
