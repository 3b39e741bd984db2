import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import { internal, notFound } from "../../../pkg/apiserver/server/status-error.ts";
import { type Logger, silentLogger } from "../../../pkg/log/logger.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { isOver } from "./age.ts";
import { podCertificateRequestCleanerController } from "./controller.ts";

const MINUTE_MS = 60_000;
const GATE = { PodCertificateRequest: true };

let world: ControllerWorld;
let errors: string[] = [];
const log: Logger = { ...silentLogger, error: (error) => void errors.push(String(error)), child: () => log };
beforeEach(async () => {
  errors = [];
  world = await newWorld({ log, features: GATE, runtimeConfig: ["certificates.k8s.io/v1beta1"] });
});
afterEach(async () => world.stop());

const linesOf = (): readonly string[] => world.takeWrites().map(lineOf);
const gone = (name: string): string => `delete podcertificaterequests ${name}`;

function put(name: string, ageMs: number, status: object = {}): void {
  const creationTimestamp = formatTime(world.clock.nowMs() - ageMs);
  const spec = {
    signerName: "foo.com/abc",
    podName: "pod-1",
    podUID: "pod-1-uid",
    serviceAccountName: "sa-1",
    serviceAccountUID: "sa-uid-1",
    nodeName: "node-1",
    nodeUID: "node-uid-1",
    maxExpirationSeconds: 86_400,
    stubPKCS10Request: "",
  };
  world.keep(resources.podCertificateRequests, { metadata: { name, creationTimestamp }, spec, status });
}

// upstream: pkg/controller/certificates/cleaner/pcrcleaner_test.go#TestPCRCleaner
test("requests go after a quarter of an hour, answered or not; they are looked at every five minutes", async () => {
  const denied = { conditions: [{ type: "Denied", status: "True", reason: "Foo", message: "abc" }] };
  put("pending-young", 15 * MINUTE_MS - 5_000);
  put("pending-old", 15 * MINUTE_MS + 1_000);
  put("denied-young", 15 * MINUTE_MS - 5_000, denied);
  put("denied-old", 15 * MINUTE_MS + 1_000, denied);
  await world.start(podCertificateRequestCleanerController());
  expect(linesOf()).toEqual([gone("denied-old"), gone("pending-old")]);
  await world.run(4 * MINUTE_MS);
  expect(linesOf()).toEqual([]);
  await world.run(MINUTE_MS);
  expect(linesOf()).toEqual([gone("denied-young"), gone("pending-young")]);
});

test("the very request goes, one that is gone is none of its troubles, and one that is refused is met again", async () => {
  for (const name of ["a", "b"]) put(name, 16 * MINUTE_MS);
  world.server.parts.faults.add({
    target: { verb: "delete", resource: "podcertificaterequests" },
    action: { kind: "status", when: "before", error: internal("down") },
    times: 1,
  });
  await world.start(podCertificateRequestCleanerController());
  const writes = world.takeWrites();
  expect(writes.map(lineOf)).toEqual([gone("a"), gone("b")]);
  expect(writes[0]?.body).toMatchObject({ preconditions: { uid: "uid-a" } });
  expect(errors).toEqual([expect.stringContaining("down")]);
  await world.run(5 * MINUTE_MS);
  expect(linesOf()).toEqual([gone("a")]);
});

test("one that is gone by then is no trouble", async () => {
  put("a", 16 * MINUTE_MS);
  world.server.parts.faults.add({
    target: { verb: "delete", resource: "podcertificaterequests" },
    action: {
      kind: "status",
      when: "before",
      error: notFound(resources.podCertificateRequests, "a"),
    },
  });
  await world.start(podCertificateRequestCleanerController());
  expect(linesOf()).toEqual([gone("a")]);
  expect(errors).toEqual([]);
});

test("without the gate there is no such controller", () => {
  expect(podCertificateRequestCleanerController().featureGates).toEqual(["PodCertificateRequest"]);
});

test("the limit itself is over", () => {
  const request = { metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } };
  const atMs = Date.UTC(2026, 0, 1, 0, 15);
  expect([isOver(request, atMs - 1), isOver(request, atMs)]).toEqual([false, true]);
});
