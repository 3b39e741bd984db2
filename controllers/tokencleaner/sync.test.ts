import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Secret } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { tokenCleanerController } from "./controller.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NAMESPACE = "kube-system";
const NAME = "bootstrap-token-abc123";
const DELETE = `delete secrets ${NAME}`;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.create(resources.namespaces, { metadata: { name: NAMESPACE } });
});
afterEach(async () => world.stop());

describe("a bootstrap token", () => {
  // upstream: pkg/controller/bootstrap/tokencleaner_test.go#TestCleanerNoExpiration, TestCleanerNotExpired
  test.each([
    ["that never expires stays", undefined],
    ["that has time left stays", HOUR_MS],
  ])("%s", async (_, leftMs) => {
    await addToken(leftMs);
    await world.start(tokenCleanerController());
    expect(linesOf()).toEqual([]);
  });

  // upstream: pkg/controller/bootstrap/tokencleaner_test.go#TestCleanerExpired
  test("that has expired goes, and not another of its name", async () => {
    const { uid } = (await addToken(-HOUR_MS)).metadata;
    await world.start(tokenCleanerController());
    const [deletion] = world.takeWrites();
    expect(deletion && lineOf(deletion)).toBe(DELETE);
    expect(deletion?.body).toMatchObject({ preconditions: { uid } });
  });

  // upstream: pkg/controller/bootstrap/tokencleaner_test.go#TestCleanerExpiredAt
  test("goes when its time is over", async () => {
    await addToken(10_000);
    await world.start(tokenCleanerController());
    await world.run(7_000);
    expect(linesOf()).toEqual([]);
    await world.run(2_000);
    expect(linesOf()).toEqual([DELETE]);
  });

  test("goes after a month, for which no timer of the machine is long enough", async () => {
    await addToken(30 * DAY_MS);
    await world.start(tokenCleanerController());
    await world.run(29 * DAY_MS);
    expect(linesOf()).toEqual([]);
    await world.run(DAY_MS + HOUR_MS);
    expect(linesOf()).toEqual([DELETE]);
  });

  test("goes by the time that it was given last", async () => {
    await addToken(10_000);
    await world.start(tokenCleanerController());
    await setExpiration(formatTime(world.clock.nowMs() + HOUR_MS));
    await world.run(60_000);
    expect(linesOf()).toEqual([]);
    await setExpiration("soon");
    await world.run();
    expect(linesOf()).toEqual([DELETE]);
  });

  test("is tried again when it could not be deleted", async () => {
    await addToken(-HOUR_MS);
    const repair = world.server.parts.faults.add({
      target: { verb: "delete", resource: "secrets" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(tokenCleanerController());
    repair();
    await world.run(60_000);
    expect(await world.list(resources.secrets)).toEqual([]);
  });

  test("is no Secret of another type or namespace", async () => {
    const data = { expiration: formatTime(world.clock.nowMs() - HOUR_MS) };
    await add({ metadata: { name: NAME, namespace: NAMESPACE }, type: "Opaque", stringData: data });
    await add({ metadata: { name: NAME, namespace: "default" }, type: TYPE, stringData: data });
    await world.start(tokenCleanerController());
    await world.run(60_000);
    expect(linesOf()).toEqual([]);
  });
});

const TYPE = "bootstrap.kubernetes.io/token";

async function add(secret: Secret): Promise<Secret> {
  return world.create<Secret>(resources.secrets, secret);
}

async function addToken(leftMs: number | undefined): Promise<Secret> {
  const expiration = leftMs === undefined ? {} : { expiration: formatTime(world.clock.nowMs() + leftMs) };
  const stringData = { "token-id": "abc123", "token-secret": "tokenSecret", ...expiration };
  return add({ metadata: { name: NAME, namespace: NAMESPACE }, type: TYPE, stringData });
}

async function setExpiration(expiration: string): Promise<void> {
  const body = { stringData: { expiration } };
  const ref = { namespace: NAMESPACE, name: NAME };
  await world.client.clientFor(resources.secrets).patch(ref, { type: "merge", body });
}

function linesOf(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
