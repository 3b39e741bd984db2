import { afterEach, beforeEach, expect, test } from "vitest";
import { CLAIM_NAME_ANNOTATION } from "../../pkg/api/device-claims.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { FaultAction } from "../../pkg/apiserver/server/faults.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { CLAIM, ClaimsInWorld, named, TEMPLATE } from "../../test/harness/claims-in-world.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { claimOfTemplate } from "./claim-of-template.ts";
import { resourceClaimController } from "./controller.ts";

const MINUTE_MS = 60_000;

let world: ControllerWorld;
let it: ClaimsInWorld;
beforeEach(async () => {
  world = await newWorld();
  it = new ClaimsInWorld(world);
});
afterEach(async () => world.stop());

const start = async () => world.start(resourceClaimController({ workers: 5 }));
const holdClaims = () => world.server.parts.faults.holdWatches({ resource: "resourceclaims" });
const claimNames = async () => (await it.claims()).map(({ metadata }) => metadata.name ?? "");

/** Once, for the next claim that is made. */
function answerOnce(action: FaultAction): void {
  world.server.parts.faults.add({
    target: { verb: "create", resource: "resourceclaims" },
    action,
    times: 1,
  });
}

test.each<readonly [what: string, action: FaultAction]>([
  ["lost", { kind: "disconnect", when: "after" }],
  ["that of a server which is not sure", { kind: "status", when: "after", error: internal("late") }],
])("a claim is made once when the answer is %s, and its pod is told", async (_what, action) => {
  await it.template();
  await start();
  const show = holdClaims();
  answerOnce(action);
  await it.pod();
  await world.run(10 * MINUTE_MS);
  const names = await claimNames();
  expect(names).toHaveLength(1);
  expect(await it.namesInStatus()).toEqual([`${CLAIM}: ${names[0]}`]);
  show();
  await world.run(10 * MINUTE_MS);
  expect(await claimNames()).toEqual(names);
});

test("a claim that the pod was told of, and that the cache has yet to show, is not made again", async () => {
  const pod = await it.pod();
  await start();
  const show = holdClaims();
  await it.claim({ name: "made", madeFor: pod });
  await it.podStatus("web", named("made"));
  await it.template();
  await world.run(MINUTE_MS);
  show();
  await world.run(MINUTE_MS);
  expect(await claimNames()).toEqual(["made"]);
});

test("the name of a claim that is gone is not used again", async () => {
  await it.template();
  await it.pod();
  await start();
  await world.run(10);
  const seen = new Set(await claimNames());
  for (let count = 1; count < 4; count++) {
    const [last = ""] = await claimNames();
    await world.delete(resources.resourceClaims, last);
    await world.run(MINUTE_MS);
    expect(await claimNames()).not.toEqual([last]);
    for (const name of await claimNames()) seen.add(name);
    expect(await it.namesInStatus()).toEqual((await claimNames()).map((name) => `${CLAIM}: ${name}`));
  }
  expect(seen.size).toBe(2);
});

/** The name of the claim that a try would make, when others have had so many. */
function nameOfTry(owner: Stored<Pod>, taken: number): string {
  const template = { metadata: { name: TEMPLATE }, spec: { spec: {} } };
  return claimOfTemplate({ owner, kind: resources.pods, claimName: CLAIM, template, taken }).metadata.name;
}

test.each([
  ["nobody's", undefined, CLAIM],
  ["a claim of another pod", "other", CLAIM],
  ["another claim of the pod", "web", "another"],
])("a name that is %s is left alone, and the next one taken", async (_whose, owner, claimName) => {
  const pod = await it.pod();
  await it.pod({ name: "other", claims: [] });
  const madeFor = owner === undefined ? undefined : await world.get(resources.pods, owner);
  const annotations = { [CLAIM_NAME_ANNOTATION]: claimName };
  await it.claim({ name: nameOfTry(pod, 0), ...(madeFor && { madeFor }), annotations });
  await it.template();
  await start();
  await world.run(10);
  expect((await claimNames()).toSorted()).toEqual([nameOfTry(pod, 0), nameOfTry(pod, 1)].toSorted());
  expect(await it.namesInStatus()).toEqual([`${CLAIM}: ${nameOfTry(pod, 1)}`]);
});

test("a pod whose names are all taken is told so", async () => {
  const pod = await it.pod();
  for (let taken = 0; taken < 5; taken++) await it.claim({ name: nameOfTry(pod, taken) });
  await it.template();
  await start();
  await world.run(10);
  const message = `PodResourceClaim ${CLAIM}: create ResourceClaim : 5 names are taken`;
  expect(await world.events()).toEqual([`FailedResourceClaimCreation ${message}`]);
});
