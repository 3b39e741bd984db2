import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { type ControllerWorld, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { createDefinition, moveDefinition } from "../../test/integration/controllers/custom-resources.ts";
import { ScaleError, Scales, UnknownKindError } from "./sync-scale.ts";

const signal = new AbortController().signal;

let world: ControllerWorld;
let scales: Scales;
beforeEach(async () => {
  world = await newWorld();
  scales = new Scales(world.client, world.clock);
});
afterEach(async () => world.stop());

const scaleOf = async (owner: Omit<OwnerReference, "uid">, uid = "u"): Promise<number | undefined> =>
  scales.scaleOf({ ...owner, uid }, NAMESPACE, signal);

// upstream: pkg/controller/disruption/disruption_test.go#TestScaleFinderNoResource
test("an owner that is gone wants nothing, if its kind can be scaled", async () => {
  expect(await scaleOf({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "gone" })).toBeUndefined();
  const daemon = scaleOf({ apiVersion: "apps/v1", kind: "DaemonSet", name: "gone" });
  await expect(daemon).rejects.toThrow(
    new ScaleError("daemonsets.apps does not implement the scale subresource"),
  );
});

test("an owner that is another by now wants nothing", async () => {
  const labels = { a: "b" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "image" }] } };
  const { metadata } = await world.create(resources.replicaSets, {
    metadata: { name: "web" },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  });
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" };
  expect(await scaleOf(owner, metadata.uid)).toBe(3);
  expect(await scaleOf({ ...owner, apiVersion: "apps/v1beta1" }, metadata.uid)).toBe(3);
  expect(await scaleOf(owner, "before")).toBeUndefined();
});

test("a kind whose group cannot be discovered is not unknown", async () => {
  const down = new Error("the backend is down");
  const surface = { groups: [], resources: [], failures: new Map([["fleets.example.com/v1", down]]) };
  const discovery = { surface: async () => surface, invalidate: () => undefined };
  const asked = new Scales({ discovery, dynamic: (kind) => world.client.dynamic(kind) }, world.clock);
  const of = async (apiVersion: string): Promise<unknown> =>
    asked.scaleOf({ apiVersion, kind: "Fleets", name: "fleet", uid: "u" }, NAMESPACE, signal);
  await expect(of("fleets.example.com/v2")).rejects.toBe(down);
  await expect(of("boats.example.com/v1")).rejects.toBeInstanceOf(UnknownKindError);
});

test("a kind whose version is not served any more is asked for in the one that is", async () => {
  const owner = { apiVersion: "fleets.example.com/v1", kind: "Fleets", name: "fleet" };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const kind = await createDefinition(world.client, "Namespaced", "fleets", { scale });
  const fleet = { metadata: { name: "fleet", namespace: NAMESPACE }, spec: { replicas: 10 } } as ApiObject;
  const { metadata } = await world.client.dynamic(kind).create(fleet);
  expect(await scaleOf(owner, metadata.uid)).toBe(10);
  await moveDefinition(world.client, "fleets.fleets.example.com");
  await world.run();
  expect(await scaleOf(owner, metadata.uid)).toBe(10);
});

// upstream: pkg/controller/disruption/disruption_test.go#TestScaleResource
test("a kind that is not known is looked for again, half a minute later at the latest", async () => {
  const owner = { apiVersion: "fleets.example.com/v1", kind: "Fleets", name: "fleet" };
  const unknown = 'no matches for kind "Fleets" in version "fleets.example.com/v1"';
  await expect(scaleOf(owner)).rejects.toThrow(new UnknownKindError(unknown));
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const kind = await createDefinition(world.client, "Namespaced", "fleets", { scale });
  const fleet = { metadata: { name: "fleet", namespace: NAMESPACE }, spec: { replicas: 10 } } as ApiObject;
  const { metadata } = await world.client.dynamic(kind).create(fleet);
  await expect(scaleOf(owner, metadata.uid)).rejects.toThrow(unknown);
  await world.run(30_000);
  expect(await scaleOf(owner, metadata.uid)).toBe(10);
});
