import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLAIM_FINALIZER } from "../../pkg/api/device-claims.ts";
import { resources } from "../../pkg/api/resources.ts";
import { conflict } from "../../pkg/apiserver/server/status-error.ts";
import { ClaimsInWorld, forPod, named } from "../../test/harness/claims-in-world.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { resourceClaimController } from "./controller.ts";

const STATUS = "update resourceclaims/status claim";
const UPDATE = "update resourceclaims claim";
const DELETE = "delete resourceclaims claim";
const GONE = { apiGroup: "", resource: "pods", name: "gone", uid: "gone" };
const FOREIGN = { apiGroup: "foo.com", resource: "foo", name: "foo", uid: "123" };

let world: ControllerWorld;
let it: ClaimsInWorld;
beforeEach(async () => {
  world = await newWorld();
  it = new ClaimsInWorld(world);
});
afterEach(async () => world.stop());

const start = async () => world.start(resourceClaimController({ workers: 5 }));

async function claim() {
  const [found] = await it.claims();
  const { metadata, status = {} } = found ?? {};
  return {
    finalizers: metadata?.finalizers ?? [],
    isAllocated: status.allocation !== undefined,
    reservedFor: (status.reservedFor ?? []).map(({ name }) => name),
  };
}

const deleteClaim = async () => world.delete(resources.resourceClaims, "claim");

// upstream: pkg/controller/resourceclaim/controller_test.go#TestSyncHandler
describe("a claim", () => {
  test("stays with a pod that uses it", async () => {
    const pod = await it.pod({ claims: [] });
    await it.claim({ reservedFor: [forPod(pod)], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("stays with a pod that no cache has seen yet", async () => {
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "pods" });
    const pod = await it.pod({ claims: [] });
    await it.claim({ reservedFor: [forPod(pod)], isHeld: true });
    expect(await it.writes()).toEqual([]);
    late();
    expect(await it.writes()).toEqual([]);
  });

  test("stays with a pod whose name the cache has seen another have", async () => {
    await it.pod({ claims: [] });
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "pods" });
    await it.removePod();
    const next = await it.pod({ claims: [] });
    await it.claim({ reservedFor: [forPod(next)], isHeld: true });
    expect(await it.writes()).toEqual([]);
    late();
    expect(await it.writes()).toEqual([]);
  });

  test("stays as it is while it is not known whether its pod is gone", async () => {
    const repair = world.server.parts.faults.add({
      target: { verb: "get", resource: "pods" },
      action: { kind: "status", when: "before", error: conflict(resources.pods, "gone", "no") },
    });
    await it.claim({ reservedFor: [GONE], isHeld: true });
    await start();
    await world.run(60_000);
    expect(await it.writes()).toEqual([]);
    repair();
    await world.run(3_600_000);
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
  });

  test("is free when the only pod that used it is gone", async () => {
    await it.claim({ reservedFor: [GONE], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
    expect(await claim()).toEqual({ finalizers: [], isAllocated: false, reservedFor: [] });
  });

  test("keeps what others than the scheduler have allocated", async () => {
    await it.claim({ reservedFor: [GONE] });
    await start();
    expect(await it.writes()).toEqual([STATUS]);
    expect(await claim()).toEqual({ finalizers: [], isAllocated: true, reservedFor: [] });
  });

  test("stays allocated for the pods that are left", async () => {
    const pod = await it.pod({ claims: [] });
    await it.claim({ reservedFor: [forPod(pod), GONE], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([STATUS]);
    expect(await claim()).toEqual({
      finalizers: [CLAIM_FINALIZER],
      isAllocated: true,
      reservedFor: ["web"],
    });
  });

  test("goes when it is deleted and its pod is gone", async () => {
    await it.claim({ reservedFor: [GONE], isHeld: true });
    await deleteClaim();
    await start();
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
    expect(await it.claims()).toEqual([]);
  });

  test("goes when it is deleted and was never used, allocated or not", async () => {
    await it.claim({ isAllocated: true, isHeld: true });
    await deleteClaim();
    await start();
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
    expect(await it.claims()).toEqual([]);
    await it.claim({ isHeld: true });
    await deleteClaim();
    expect(await it.writes()).toEqual([UPDATE]);
    expect(await it.claims()).toEqual([]);
  });

  test("that is deleted stays for the pod that uses it", async () => {
    const pod = await it.pod({ claims: [{ name: "c", resourceClaimName: "claim" }] });
    await it.claim({ reservedFor: [forPod(pod)], isHeld: true });
    await deleteClaim();
    await start();
    expect(await it.writes()).toEqual([]);
    await it.removePod();
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
    expect(await it.claims()).toEqual([]);
  });

  test("that is allocated and unused stays so", async () => {
    await it.claim({ isAllocated: true, isHeld: true });
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("is free when its pod is done", async () => {
    const pod = await it.pod({ claims: [{ name: "c", resourceClaimName: "claim" }], nodeName: "worker" });
    await it.claim({ reservedFor: [forPod(pod)], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([]);
    await it.podStatus("web", { phase: "Succeeded" });
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
    expect(await claim()).toEqual({ finalizers: [], isAllocated: false, reservedFor: [] });
  });

  test("is free when its pod is deleted before it has a node", async () => {
    const claims = [{ name: "c", resourceClaimName: "claim" }];
    const pod = await it.pod({ claims, finalizers: ["example.com/test"] });
    await it.claim({ reservedFor: [forPod(pod)], isHeld: true });
    await start();
    await it.removePod();
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
  });

  test("loses one of two pods", async () => {
    const pod = await it.pod({ claims: [] });
    await it.pod({ name: "other", claims: [] });
    await it.claim({
      reservedFor: [forPod(pod), { ...GONE, name: "other", uid: "of another that had the name" }],
    });
    await start();
    expect(await it.writes()).toEqual([STATUS]);
    expect(await claim()).toMatchObject({ isAllocated: true, reservedFor: ["web"] });
  });

  test("goes when it was made for a pod that is done", async () => {
    const pod = await it.pod({ status: { ...named("claim"), phase: "Succeeded" } });
    await it.claim({ madeFor: pod, reservedFor: [forPod(pod)], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([STATUS, UPDATE, DELETE]);
    expect(await it.claims()).toEqual([]);
    await world.run(600_000);
    expect(await it.writes()).toEqual([]);
  });

  test("goes when the pod that it was made for is done, though that has another", async () => {
    const pod = await it.pod({ status: named("claim") });
    // The answer to the first creation was lost.
    for (const name of ["claim", "lost"]) await it.claim({ name, madeFor: pod });
    await start();
    await it.writes();
    await it.podStatus("web", { phase: "Succeeded" });
    expect((await it.writes()).toSorted()).toEqual(
      ["claim", "lost"].map((name) => `delete resourceclaims ${name}`),
    );
  });

  test("is not made again for a pod that is done", async () => {
    await it.template();
    await it.pod({ nodeName: "worker" });
    await start();
    await it.writes();
    await it.podStatus("web", { phase: "Succeeded" });
    await world.run(600_000);
    expect(await it.claims()).toEqual([]);
    expect((await it.writes()).filter((write) => write.startsWith("create"))).toEqual([]);
  });

  test("is not reserved again for a pod that is done, while others use it", async () => {
    const claims = [{ name: "c", resourceClaimName: "claim" }];
    const pod = await it.pod({ claims, nodeName: "worker" });
    const other = await it.pod({ name: "other", claims, nodeName: "worker" });
    await it.claim({ reservedFor: [forPod(pod), forPod(other)], isHeld: true });
    await start();
    await it.podStatus("web", { phase: "Failed" });
    await world.run(600_000);
    expect(await it.writes()).toEqual([STATUS]);
    expect(await claim()).toMatchObject({ isAllocated: true, reservedFor: ["other"] });
  });

  test("stays while the pod that it was made for may need it", async () => {
    const pod = await it.pod({ status: named("claim") });
    await it.claim({ madeFor: pod });
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("goes when another pod has taken the name of that which it was made for", async () => {
    const first = await it.pod({ claims: [] });
    await it.claim({ madeFor: first });
    await it.removePod();
    await it.pod({ claims: [] });
    await start();
    expect(await it.writes()).toEqual([DELETE]);
  });

  test("stays for a pod that has taken a name, which the cache has yet to show", async () => {
    await it.pod({ claims: [] });
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "pods" });
    await it.removePod();
    const next = await it.pod({ claims: [] });
    await it.claim({ madeFor: next });
    expect(await it.writes()).toEqual([]);
    late();
    expect(await it.writes()).toEqual([]);
  });

  test("is left to the garbage collector when its pod is gone", async () => {
    const pod = await it.pod({ claims: [] });
    await it.removePod();
    await it.claim({ madeFor: pod });
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("stays reserved for what is no pod", async () => {
    const pod = await it.pod({ claims: [], status: { phase: "Succeeded" } });
    await it.claim({ reservedFor: [forPod(pod), FOREIGN], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([STATUS]);
    expect(await claim()).toMatchObject({ isAllocated: true, reservedFor: ["foo"] });
  });

  test("is looked at again when somebody has written it meanwhile", async () => {
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "resourceclaims" });
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "resourceclaims", subresource: "status" },
      action: { kind: "status", when: "before", error: conflict(resources.resourceClaims, "claim", "no") },
    });
    await it.claim({ reservedFor: [GONE], isHeld: true }).catch(() => undefined);
    repair();
    late();
    await world.run(60_000);
    expect(await it.claims()).toHaveLength(1);
  });
});

// upstream: pkg/controller/resourceclaim/controller_test.go#TestEnqueuePodExtendedResourceClaims
describe("the claim of a pod's extended resources", () => {
  const status = {
    extendedResourceClaimStatus: {
      resourceClaimName: "claim",
      requestMappings: [{ containerName: "main", resourceName: "example.com/gpu", requestName: "r" }],
    },
  };
  const used = async (phase?: string, isOwned = true) => {
    const pod = await it.pod({ claims: [], nodeName: "worker", status });
    await it.claim({ ...(isOwned && { madeFor: pod }), reservedFor: [forPod(pod)], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([]);
    if (phase !== undefined) await it.podStatus("web", { ...status, phase });
  };

  test.each(["Running", "Pending"])("stays while it is %s", async (phase) => {
    await used(phase);
    expect(await it.writes()).toEqual([]);
  });

  test.each(["Succeeded", "Failed"])("goes when it has %s", async (phase) => {
    await used(phase);
    expect(await it.writes()).toEqual([STATUS, UPDATE, DELETE]);
  });

  test("is free when it has ended, though the claim does not say whose it is", async () => {
    await used("Succeeded", false);
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
  });

  test("is free when it is gone", async () => {
    await used();
    await it.removePod();
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
  });
});
