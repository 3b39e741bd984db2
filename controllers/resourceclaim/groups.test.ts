import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CLAIM_FINALIZER, consumerOf } from "../../pkg/api/device-claims.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { V1alpha2PodGroup } from "../../pkg/api/types/scheduling-v1alpha2.gen.ts";
import { conflict } from "../../pkg/apiserver/server/status-error.ts";
import {
  CLAIM,
  ClaimsInWorld,
  forPod,
  fromTemplate,
  named,
  TEMPLATE,
} from "../../test/harness/claims-in-world.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { resourceClaimController } from "./controller.ts";

const CREATE = "create resourceclaims";
const TELL = "patch podgroups/status group";
const TELL_POD = "patch pods/status web";
const STATUS = "update resourceclaims/status made";
const UPDATE = "update resourceclaims made";

let world: ControllerWorld;
let it: ClaimsInWorld;

async function begin(isOn: boolean): Promise<void> {
  world = await newWorld({
    features: { DRAWorkloadResourceClaims: isOn, GenericWorkload: isOn },
    runtimeConfig: ["scheduling.k8s.io/v1alpha2"],
  });
  it = new ClaimsInWorld(world);
}
afterEach(async () => world.stop());

const start = async () => world.start(resourceClaimController({ workers: 5 }));

async function tell(group: V1alpha2PodGroup, name: string): Promise<void> {
  const status = { resourceClaimStatuses: [{ name: CLAIM, resourceClaimName: name }] };
  await world.client.clientFor<V1alpha2PodGroup>(resources.podGroups).updateStatus({ ...group, status });
}

async function groupStatus(): Promise<readonly string[]> {
  const { status } = await world.get(resources.podGroups, "group");
  return (status?.resourceClaimStatuses ?? []).map(({ resourceClaimName = "" }) => resourceClaimName);
}

const forGroup = (group: Stored<V1alpha2PodGroup>) => consumerOf(group, "podgroups");

// upstream: pkg/controller/resourceclaim/controller_test.go#TestSyncHandler
describe("a group of pods", () => {
  beforeEach(async () => begin(true));

  test("gets the claim of its template, which is its own, and is told its name", async () => {
    const { metadata } = await it.group();
    await it.template();
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL]);
    const [claim] = await it.claims();
    expect(claim?.metadata.generateName).toBe(`group-${CLAIM}-`);
    expect(claim?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "scheduling.k8s.io/v1alpha2",
        kind: "PodGroup",
        name: "group",
        uid: metadata.uid,
        controller: true,
      },
    ]);
    expect(await groupStatus()).toEqual([claim?.metadata.name]);
    await world.run(600_000);
    expect(await it.writes()).toEqual([]);
  });

  test("makes the claim for its pods, be there a template or not", async () => {
    await it.pod({ group: "group" });
    await start();
    expect(await it.writes()).toEqual([]);
    await it.group();
    expect(await it.writes()).toEqual([]);
    await it.template();
    expect(await it.writes()).toEqual([CREATE, TELL, TELL_POD]);
    expect(await it.namesInStatus()).toEqual([`${CLAIM}: ${(await groupStatus())[0] ?? ""}`]);
    expect(await it.claims()).toHaveLength(1);
  });

  test("tells its pods of a claim that is there", async () => {
    const group = await it.group();
    await it.template();
    await it.claim({ name: "made", madeFor: group });
    await tell(group, "made");
    await it.pod({ group: "group" });
    await start();
    expect(await it.writes()).toEqual([TELL_POD]);
    expect(await it.namesInStatus()).toEqual([`${CLAIM}: made`]);
  });

  test("leaves claims that only the pod has to the pod", async () => {
    await it.group([{ ...fromTemplate, name: "other" }]);
    await it.template();
    await it.pod({ group: "group" });
    await start();
    expect((await it.writes()).toSorted()).toEqual([TELL, TELL_POD, CREATE, CREATE].toSorted());
  });

  test("that has its claim is left alone", async () => {
    const group = await it.group();
    await it.template();
    await it.claim({ name: "made", madeFor: group });
    await tell(group, "made");
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("gets another claim when its own is gone", async () => {
    await tell(await it.group(), "gone");
    await it.template();
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL]);
    await world.delete(resources.resourceClaims, (await groupStatus())[0] ?? "");
    expect(await it.writes()).toEqual([CREATE, TELL]);
  });

  test("is told that there is no template", async () => {
    await it.group();
    await it.claim({ name: `group-${CLAIM}` });
    await start();
    expect(await it.writes()).toEqual([]);
    expect(await world.events()).toEqual([
      `FailedResourceClaimCreation PodGroupResourceClaim ${CLAIM}: resource claim template "${TEMPLATE}": resourceclaimtemplate.resource.k8s.io "${TEMPLATE}" not found`,
    ]);
  });

  test("is told of a claim that was made for it before", async () => {
    const group = await it.group();
    await it.claim({ name: "made", madeFor: group });
    await start();
    expect(await it.writes()).toEqual([TELL]);
    expect(await groupStatus()).toEqual(["made"]);
  });

  test("has one claim, be it that telling it fails and caches are late", async () => {
    await it.template();
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "resourceclaims" });
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "podgroups" },
      action: { kind: "status", when: "before", error: conflict(resources.podGroups, "group", "no") },
    });
    await it.group();
    await world.run(60_000);
    late();
    repair();
    await world.run(60_000);
    expect(await it.claims()).toHaveLength(1);
    expect(await groupStatus()).toHaveLength(1);
  });

  test("that is gone or is being deleted gets none", async () => {
    const group = await it.group();
    const groups = world.client.clientFor<V1alpha2PodGroup>(resources.podGroups);
    await groups.update({ ...group, metadata: { ...group.metadata, finalizers: ["example.com/test"] } });
    await world.delete(resources.podGroups, "group");
    await it.template();
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("gets its claim whatever there is in other namespaces, and is told why it was refused", async () => {
    await world.create(resources.namespaces, { metadata: { name: "other" } });
    await it.claim({ name: `group-${CLAIM}`, namespace: "other" });
    await it.group();
    await it.template();
    const repair = world.server.parts.faults.add({
      target: { verb: "create", resource: "resourceclaims" },
      action: {
        kind: "status",
        when: "before",
        error: conflict(resources.resourceClaims, "fake name", "no"),
      },
    });
    await start();
    await it.writes();
    const why = `create ResourceClaim : Operation cannot be fulfilled on resourceclaims.resource.k8s.io "fake name": no`;
    expect(await world.events()).toContain(
      `FailedResourceClaimCreation PodGroupResourceClaim ${CLAIM}: ${why}`,
    );
    repair();
    await world.run(3_600_000);
    expect(await groupStatus()).toHaveLength(1);
  });

  test("that is gone frees what it has used", async () => {
    const group = await it.group([{ name: CLAIM, resourceClaimName: "made" }]);
    await it.claim({ name: "made", reservedFor: [forGroup(group)], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([]);
    await world.delete(resources.podGroups, "group");
    expect(await it.writes()).toEqual([STATUS, UPDATE]);
    expect((await it.claims())[0]?.status?.allocation).toBeUndefined();
  });

  test("that no cache has seen keeps what it uses, and one that is not there does not", async () => {
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "podgroups" });
    const group = await it.group();
    await it.claim({ name: "made", reservedFor: [forGroup(group)], isHeld: true });
    expect(await it.writes()).toEqual([]);
    late();
    await it.claim({
      name: "gone",
      reservedFor: [{ ...forGroup(group), uid: "another" }],
      isHeld: true,
    });
    expect(await it.writes()).toEqual(["update resourceclaims/status gone", "update resourceclaims gone"]);
  });

  test("may use its claim for a pod on a node that no scheduler has given it", async () => {
    const group = await it.group();
    await it.template();
    await it.claim({ name: "made", madeFor: group, isAllocated: true });
    await tell(group, "made");
    await it.pod({ group: "group", nodeName: "worker", status: named("made") });
    await it.pod({ name: "second", group: "group", nodeName: "worker", status: named("made") });
    await start();
    await world.run(60_000);
    const [claim] = await it.claims();
    expect(claim?.status?.reservedFor).toEqual([forGroup(group)]);
  });
});

// upstream: pkg/controller/resourceclaim/controller_test.go#TestEventHandlers
describe("what concerns groups", () => {
  beforeEach(async () => begin(true));
  const synced = async () => {
    const set = await start();
    await it.writes();
    const syncs = (): readonly number[] => {
      const pools = set.health().get("resourceclaim-controller")?.pools ?? {};
      return ["podgroups", "pods", "claims"].map((label) => pools[`resource_claim (${label})`]?.syncs ?? 0);
    };
    const before = syncs();
    return async () => {
      await it.writes();
      return syncs().map((count, index) => count - (before[index] ?? 0));
    };
  };

  test("wakes nobody when the claim of a new group is there", async () => {
    const since = await synced();
    const group = await it.group();
    await it.claim({ name: "made", madeFor: group });
    await tell(group, "made");
    const [, pods] = await since();
    expect(pods).toBe(0);
    const again = await synced();
    await tell(await world.get(resources.podGroups, "group"), "made");
    expect(await again()).toEqual([0, 0, 0]);
  });

  test("wakes the pods of a group which is told of its claim", async () => {
    const group = await it.group();
    for (const name of ["one", "two"]) await it.pod({ name, group: "group" });
    await it.pod({ name: "without", claims: [], group: "group" });
    await it.pod({ name: "elsewhere", claims: [], group: "other" });
    const since = await synced();
    await it.claim({ name: "made", madeFor: group });
    await tell(group, "made");
    const [, pods = 0] = await since();
    expect(pods).toBeGreaterThanOrEqual(2);
    expect([await it.namesInStatus("one"), await it.namesInStatus("two")]).toEqual([
      [`${CLAIM}: made`],
      [`${CLAIM}: made`],
    ]);
  });
});

describe("without claims of groups", () => {
  beforeEach(async () => begin(false));

  test("a pod in a group gets a claim of its own", async () => {
    const group = await it.group();
    await it.template();
    await it.claim({ name: "made", madeFor: group });
    await it.pod({ group: "group" });
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL_POD]);
  });

  test("groups keep what they have", async () => {
    const group = await it.group();
    await world.delete(resources.podGroups, "group");
    await it.claim({ name: "made", reservedFor: [forGroup(group)], isHeld: true });
    await start();
    expect(await it.writes()).toEqual([]);
    expect((await it.claims())[0]?.metadata.finalizers).toEqual([CLAIM_FINALIZER]);
  });

  test("a claim is reserved for the pod", async () => {
    await it.group();
    const pod = await it.pod({ group: "group", nodeName: "worker", status: named("made") });
    await it.template();
    await it.claim({ name: "made", madeFor: pod, isAllocated: true });
    await start();
    expect(await it.writes()).toEqual([STATUS]);
    expect((await it.claims())[0]?.status?.reservedFor).toEqual([forPod(pod)]);
  });
});
