import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject, Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { conflict } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
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
const TELL = "patch pods/status web";
const MISSING = `PodResourceClaim ${CLAIM}: resource claim template "${TEMPLATE}": resourceclaimtemplate.resource.k8s.io "${TEMPLATE}" not found`;

let world: ControllerWorld;
let it: ClaimsInWorld;
let metrics: ReturnType<typeof createMetrics>;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" });
  world = await newWorld({ metrics: metrics.main });
  it = new ClaimsInWorld(world);
  await world.create(resources.namespaces, { metadata: { name: "other" } });
});
afterEach(async () => world.stop());

const start = async () => world.start(resourceClaimController({ workers: 5 }));

async function creations(): Promise<Readonly<Record<string, string>>> {
  const found = (await metrics.main.expose()).matchAll(
    /^resourceclaim_controller_creates_total\{(.*)\} (\d+)/gm,
  );
  return Object.fromEntries([...found].map(([, labels = "", count = ""]) => [labels, count]));
}

/** Its one claim, as its name is. */
async function onlyClaim(): Promise<string> {
  const [claim] = await it.claims();
  return claim?.metadata.name ?? "";
}

function refuseClaims(): () => void {
  return world.server.parts.faults.add({
    target: { verb: "create", resource: "resourceclaims" },
    action: { kind: "status", when: "before", error: conflict(resources.resourceClaims, "fake name", "no") },
  });
}

// upstream: pkg/controller/resourceclaim/controller_test.go#TestSyncHandler
describe("a pod", () => {
  test("gets the claim of its template, which is its own, and is told its name", async () => {
    const { metadata } = await it.pod();
    await it.template(
      { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpus" } }] } },
      { labels: { a: "b" }, annotations: { c: "d" } },
    );
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL]);
    const [claim] = await it.claims();
    expect(claim?.metadata).toMatchObject({
      labels: { a: "b" },
      annotations: { c: "d", "resource.kubernetes.io/pod-claim-name": CLAIM },
      generateName: `web-${CLAIM}-`,
    });
    const { uid } = metadata;
    expect(claim?.metadata.ownerReferences).toEqual([
      { apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true },
    ]);
    expect(claim?.spec.devices?.requests).toMatchObject([{ name: "gpu", exactly: { count: 1 } }]);
    expect(await it.namesInStatus()).toEqual([`${CLAIM}: ${await onlyClaim()}`]);
    expect(await creations()).toEqual({ 'admin_access="false",status="success"': "1" });
    await world.run(600_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("may ask for admin access, which is counted", async () => {
    await world.update(resources.namespaces, "default", (namespace) => ({
      ...namespace,
      metadata: { ...namespace.metadata, labels: { "resource.kubernetes.io/admin-access": "true" } },
    }));
    const exactly = { deviceClassName: "class", adminAccess: true };
    await it.template({ devices: { requests: [{ name: "req-0", exactly }] } });
    await it.pod();
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL]);
    expect(await creations()).toEqual({ 'admin_access="true",status="success"': "1" });
  });

  test("that has its claim is left alone", async () => {
    const pod = await it.pod({ status: named("made") });
    await it.template();
    await it.claim({ name: "made", madeFor: pod });
    await start();
    expect([await it.writes(), await creations()]).toEqual([[], {}]);
  });

  test("gets another claim when its own is gone", async () => {
    await it.template();
    await it.pod({ status: named("gone") });
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL]);
    expect(await it.namesInStatus()).toEqual([`${CLAIM}: ${await onlyClaim()}`]);
    await world.delete(resources.resourceClaims, await onlyClaim());
    expect(await it.writes()).toEqual([CREATE, TELL]);
  });

  test("is told that there is no template, and gets its claim when there is", async () => {
    await it.pod();
    const set = await start();
    expect(await it.writes()).toEqual([]);
    expect(await world.events()).toEqual([`FailedResourceClaimCreation ${MISSING}`]);
    const page = set.debug("resourceclaim-controller", "/", new URLSearchParams())?.body;
    expect(page).toContain(`failed: Pod default/web, ${MISSING}`.replaceAll('"', '\\"'));
    await world.run(3_600_000);
    await it.template();
    await world.run(10);
    expect(await it.writes()).toEqual([CREATE, TELL]);
  });

  test("is told of a claim that was made for it before", async () => {
    const pod = await it.pod();
    await it.claim({ name: "made", madeFor: pod });
    await start();
    expect(await it.writes()).toEqual([TELL]);
    expect([await it.namesInStatus(), await creations()]).toEqual([[`${CLAIM}: made`], {}]);
  });

  test("has one claim, be it that telling it fails and caches are late", async () => {
    await it.template();
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "resourceclaims" });
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: { kind: "status", when: "before", error: conflict(resources.pods, "web", "no") },
    });
    await it.pod();
    await world.run(60_000);
    late();
    repair();
    await world.run(60_000);
    expect(await it.claims()).toHaveLength(1);
    expect(await it.namesInStatus()).toEqual([`${CLAIM}: ${await onlyClaim()}`]);
  });

  test("that is gone when its turn comes gets none", async () => {
    await it.template();
    await it.pod();
    const repair = refuseClaims();
    await start();
    await it.removePod();
    await it.writes();
    repair();
    await world.run(3_600_000);
    expect(await it.writes()).toEqual([]);
  });

  test("that is being deleted gets none", async () => {
    await it.template();
    await it.pod({ finalizers: ["example.com/test"] });
    await it.removePod();
    await start();
    expect([await it.writes(), await creations()]).toEqual([[], {}]);
  });

  test("without claims is not looked at", async () => {
    await it.pod({ claims: [] });
    const set = await start();
    expect(await it.writes()).toEqual([]);
    expect(set.health().get("resourceclaim-controller")?.pools["resource_claim (pods)"]?.syncs).toBe(0);
  });

  test("gets its claim whatever there is in other namespaces", async () => {
    await it.claim({ name: `web-${CLAIM}`, namespace: "other" });
    await it.template();
    await it.pod();
    await start();
    expect(await it.writes()).toEqual([CREATE, TELL]);
    expect(await creations()).toEqual({ 'admin_access="false",status="success"': "1" });
  });

  test("has no use for a claim that somebody else has made", async () => {
    await it.claim({ name: `web-${CLAIM}` });
    await it.pod();
    await start();
    expect(await it.writes()).toEqual([]);
    expect(await world.events()).toEqual([`FailedResourceClaimCreation ${MISSING}`]);
  });

  test("waits while its claim has the name of another's, and gets its own when that goes", async () => {
    await it.claim({ name: "foreign" });
    await it.template();
    await it.pod({ status: named("foreign") });
    await start();
    expect(await it.writes()).toEqual([]);
    await world.delete(resources.resourceClaims, "foreign");
    expect(await it.writes()).toEqual([CREATE, TELL]);
  });

  test("is told why its claim was refused, and gets it later", async () => {
    await it.template();
    await it.pod();
    const repair = refuseClaims();
    await start();
    await it.writes();
    const why = `create ResourceClaim : Operation cannot be fulfilled on resourceclaims.resource.k8s.io "fake name": no`;
    expect(await world.events()).toContain(`FailedResourceClaimCreation PodResourceClaim ${CLAIM}: ${why}`);
    expect(Object.keys(await creations())).toEqual(['admin_access="false",status="failure"']);
    repair();
    await world.run(3_600_000);
    expect(await it.namesInStatus()).toHaveLength(1);
  });

  test("is told nothing in a namespace that is going away", async () => {
    world.refuseCreations("resourceclaims");
    await it.template();
    await it.pod();
    await start();
    await it.writes();
    expect(await world.events()).toEqual([]);
  });

  test("may use its claim on a node that no scheduler has given it", async () => {
    const pod = await it.pod({ nodeName: "worker", status: named("made") });
    await it.template();
    await it.claim({ name: "made", madeFor: pod, isAllocated: true });
    await start();
    expect(await it.writes()).toEqual(["update resourceclaims/status made"]);
    const [claim] = await it.claims();
    expect(claim?.status?.reservedFor).toEqual([forPod(pod)]);
    expect(claim?.status?.allocation).toBeDefined();
  });

  test("leaves it to the scheduler to reserve its claim before it has a node", async () => {
    const pod = await it.pod({ status: named("made") });
    await it.claim({ name: "made", madeFor: pod, isAllocated: true });
    await start();
    expect(await it.writes()).toEqual([]);
  });

  test("may use a claim that is allocated later, beside others who use it", async () => {
    const first = await it.pod({ name: "first", claims: [] });
    const pod = await it.pod({
      nodeName: "worker",
      claims: [{ name: CLAIM, resourceClaimName: "shared" }],
    });
    await start();
    expect(await it.writes()).toEqual([]);
    await it.claim({ name: "shared", reservedFor: [forPod(first)] });
    expect(await it.writes()).toEqual(["update resourceclaims/status shared"]);
    expect((await it.claims())[0]?.status?.reservedFor).toEqual([forPod(first), forPod(pod)]);
  });

  test("does not use the claim of another that its status names", async () => {
    await it.template();
    await it.claim({ name: "foreign", isAllocated: true });
    await it.pod({ nodeName: "worker", status: named("foreign") });
    await start();
    await world.run(60_000);
    expect(await it.writes()).toEqual([]);
  });
});

describe("several claims", () => {
  const second = { name: "second", resourceClaimTemplateName: "other-template" };

  // upstream: issue 138408: entries that were told before were taken back, one and the other in turn
  test("of a pod are all told, whenever each of them comes", async () => {
    await it.template();
    await it.pod({ claims: [fromTemplate, second] });
    await start();
    expect(await it.writes()).toEqual([CREATE]);
    const other: ApiObject = { metadata: { name: "other-template" } };
    await world.create(resources.resourceClaimTemplates, { ...other, spec: { spec: {} } });
    expect(await it.writes()).toEqual([CREATE, TELL]);
    expect((await it.namesInStatus()).map((each) => each.split(":")[0])).toEqual([CLAIM, "second"]);
    const [, kept] = await it.namesInStatus();
    const gone = (await it.claims()).find(
      ({ metadata }) => metadata.annotations?.["resource.kubernetes.io/pod-claim-name"] === CLAIM,
    );
    await world.delete(resources.resourceClaims, gone?.metadata.name ?? "");
    expect(await it.writes()).toEqual([CREATE, TELL]);
    const names = await it.namesInStatus();
    expect([names.length, names[1]]).toEqual([2, kept]);
    await world.run(3_600_000);
    expect(world.takeWrites()).toEqual([]);
  });

  // upstream: issue 141104: the annotation was written into the template of the cache
  test("of one template are told apart, and it stays as it is", async () => {
    await it.template({}, { annotations: { c: "d" } });
    await it.pod({ claims: [fromTemplate, { ...fromTemplate, name: "second" }] });
    await start();
    expect(await it.writes()).toEqual([CREATE, CREATE, TELL]);
    const annotations = (await it.claims()).map(({ metadata }) => metadata.annotations);
    expect(annotations).toEqual([
      { c: "d", "resource.kubernetes.io/pod-claim-name": CLAIM },
      { c: "d", "resource.kubernetes.io/pod-claim-name": "second" },
    ]);
  });

  // upstream: issue 140227: of more than a hundred that the cache had yet to show, some were made twice
  test("of many pods are made once each, however late the caches are", async () => {
    await it.template();
    await start();
    const late = world.server.parts.faults.holdWatches({ resource: "resourceclaims" });
    const repair = world.server.parts.faults.add({
      target: { verb: "patch", resource: "pods" },
      action: { kind: "status", when: "before", error: conflict(resources.pods, "web", "no") },
    });
    let tries = 0;
    world.server.parts.faults.add({
      target: { verb: "create", resource: "resourceclaims" },
      action: { kind: "interfere", run: () => void tries++ },
    });
    for (let index = 0; index < 150; index++) await it.pod({ name: `web-${index}` });
    await world.run(60_000);
    repair();
    await world.run(60_000);
    late();
    await world.run(60_000);
    expect([(await it.claims()).length, tries]).toEqual([150, 150]);
  });

  test("that a pod does not need are left alone", async () => {
    await it.template();
    await it.pod({ status: { resourceClaimStatuses: [{ name: CLAIM }] } });
    await start();
    expect(await it.writes()).toEqual([]);
  });
});

test("a pod that takes the name of another is not told of its claim, which the cache shows no difference of", async () => {
  await it.pod();
  await start();
  const late = world.server.parts.faults.holdWatches({ resource: "pods" });
  await it.removePod();
  const next: Stored<ApiObject> = await it.pod();
  await it.template();
  await world.run(60_000);
  expect(await it.namesInStatus()).toEqual([]);
  late();
  await world.run(3_600_000);
  // The first pod's goes with it.
  const claims = await it.claims();
  expect(claims.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual([next.metadata.uid]);
  expect(await it.namesInStatus()).toEqual(claims.map(({ metadata }) => `${CLAIM}: ${metadata.name ?? ""}`));
});
