import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import { internal } from "../../../pkg/apiserver/server/status-error.ts";
import { kubeletRequest } from "../../../test/harness/certificate-requests.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { authorityPair } from "../../../test/harness/signing-files.ts";
import { csrCleanerController } from "./controller.ts";

const HOUR_MS = 3_600_000;

let world: ControllerWorld;
beforeEach(async () => (world = await newWorld()));
afterEach(async () => world.stop());

const linesOf = (): readonly string[] => world.takeWrites().map(lineOf);
const gone = (name: string): string => `delete certificatesigningrequests ${name}`;

function put(name: string, ageMs: number, status: object = {}): void {
  const creationTimestamp = formatTime(world.clock.nowMs() - ageMs);
  const { spec } = kubeletRequest("a");
  world.keep(resources.certificateSigningRequests, { metadata: { name, creationTimestamp }, spec, status });
}

function approvedWith(livesMs: number): object {
  const nowMs = world.clock.nowMs();
  const { cert } = authorityPair({ nowMs, livesMs });
  const lastUpdateTime = formatTime(nowMs);
  return {
    conditions: [{ type: "Approved", status: "True", lastUpdateTime }],
    certificate: Buffer.from(`of this one\n${cert}`).toString("base64"),
  };
}

test("requests go when nobody needs them, at once and from then on every hour", async () => {
  put("old", 25 * HOUR_MS);
  put("young", 22.5 * HOUR_MS);
  put("expired", 0, approvedWith(-1_000));
  put("valid", 0, approvedWith(30 * 60_000));
  await world.start(csrCleanerController());
  expect(linesOf()).toEqual([gone("expired"), gone("old")]);
  await world.run(0.9 * HOUR_MS);
  expect(linesOf()).toEqual([]);
  await world.run(0.2 * HOUR_MS);
  expect(linesOf()).toEqual([gone("valid")]);
  await world.run(HOUR_MS);
  expect(linesOf()).toEqual([gone("young")]);
});

test("the very request goes, and not another of its name", async () => {
  put("old", 25 * HOUR_MS);
  const show = world.hideEvents("certificatesigningrequests");
  await world.start(csrCleanerController());
  const [deletion] = world.takeWrites();
  expect(deletion?.body).toMatchObject({ preconditions: { uid: "uid-old" } });
  show();
});

test("one that cannot be deleted holds up no other, and is met again", async () => {
  for (const name of ["a", "b", "c"]) put(name, 25 * HOUR_MS);
  world.server.parts.faults.add({
    target: { verb: "delete", resource: "certificatesigningrequests" },
    action: { kind: "status", when: "before", error: internal("down") },
    times: 1,
  });
  await world.start(csrCleanerController());
  expect(linesOf()).toEqual([gone("a"), gone("b"), gone("c")]);
  await world.run(HOUR_MS);
  expect(linesOf()).toEqual([gone("a")]);
});
