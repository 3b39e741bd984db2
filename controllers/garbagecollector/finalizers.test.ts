import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { FaultAction } from "../../pkg/apiserver/server/faults.ts";
import { conflict, internal } from "../../pkg/apiserver/server/status-error.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { type ControllerWorld, NAMESPACE } from "../../test/harness/controller-world.ts";
import { newToldWorld } from "../../test/harness/told-errors.ts";
import { garbageCollectorController } from "./controller.ts";

const { configMaps } = resources;
const OWNER = { namespace: NAMESPACE, name: "owner" };

let world: ControllerWorld;
/** What went wrong, as the log has it. */
let told: readonly string[];
beforeEach(async () => {
  ({ world, told } = await newToldWorld());
  await world.start(garbageCollectorController({ workers: 3 }));
});
afterEach(async () => world.stop());

/** What becomes of the collector's writes of the owner. */
function onPatch(action: FaultAction, times: number): void {
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "configmaps", name: "owner" },
    action,
    times,
  });
}

const refuse = (error = conflict(configMaps, "owner", "changed")): FaultAction => ({
  kind: "status",
  when: "before",
  error,
});

/** Of the owner. */
const statuses = (): readonly number[] =>
  world.takeWrites().flatMap(({ name, status }) => (name === "owner" ? [status] : []));

async function owner(): Promise<ApiObject | undefined> {
  try {
    return await world.get(configMaps, "owner");
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function release(): Promise<void> {
  const patch = { type: "merge", body: { metadata: { finalizers: null } } } as const;
  await world.client.clientFor(configMaps).patch(OWNER, patch);
}

// upstream: pkg/controller/garbagecollector/operations.go#removeFinalizer
describe.each([
  ["foregroundDeletion", "Foreground"],
  ["orphan", "Orphan"],
] as const)("the finalizer %s", (finalizer, propagationPolicy) => {
  async function remove(): Promise<void> {
    await world.create(configMaps, { metadata: { name: "owner" } });
    await world.run();
    await world.client.clientFor(configMaps).delete(OWNER, { propagationPolicy });
  }

  test("is taken off in spite of who else writes the owner, each time as the server has it then", async () => {
    onPatch(refuse(), 3);
    await remove();
    // 10, 50 and 250 ms are waited.
    await world.run(200);
    expect(statuses()).toEqual([409, 409, 409]);
    await world.run(200);
    expect(await owner()).toBeUndefined();
    expect(statuses()).toEqual([200]);
    expect(told).toEqual([]);
  });

  test("is left for later when somebody is quicker each time", async () => {
    onPatch(refuse(), 4);
    await remove();
    await world.run(10_000);
    expect(await owner()).toBeUndefined();
    expect(statuses()).toEqual([409, 409, 409, 409, 200]);
  });

  test("is tried again when it is refused, and not at once", async () => {
    onPatch(refuse(internal("no")), 1);
    await remove();
    await world.run(2);
    expect(statuses()).toEqual([500]);
    await world.run(1_000);
    expect(await owner()).toBeUndefined();
  });

  test("of an owner that goes meanwhile needs nothing more", async () => {
    onPatch({ kind: "interfere", run: release }, 1);
    await remove();
    await world.run(10_000);
    expect(await owner()).toBeUndefined();
    expect(statuses()).toEqual([404]);
    expect(told).toEqual([]);
  });

  test("stays on another owner that has taken the name meanwhile", async () => {
    const run = async (): Promise<void> => {
      await release();
      await world.create(configMaps, { metadata: { name: "owner", finalizers: [finalizer] } });
    };
    onPatch({ kind: "interfere", run }, 1);
    await remove();
    await world.run(10_000);
    expect((await owner())?.metadata.finalizers).toEqual([finalizer]);
    expect(statuses()).toHaveLength(1);
    expect(told).toEqual([]);
  });
});
