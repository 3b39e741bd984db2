import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { apiVersionOf, groupResource, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import type { ApiSurface } from "../../pkg/client/discovery-documents.ts";
import { Discovery } from "../../pkg/client/discovery.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics, type ExposedMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { garbageCollectorController } from "./controller.ts";

const { configMaps, secrets, customResourceDefinitions } = resources;
const LOOK_MS = 31_000;
const widgets = { group: "example.com", version: "v1", plural: "widgets", kind: "Widget", namespaced: true };
const newWidgets = { ...widgets, version: "v2" };

let world: ControllerWorld;
let hidden: Set<string>;
let refused: boolean;
let metrics: ExposedMetrics;
beforeEach(async () => {
  metrics = createMetrics({ version: "1.36.4" }).main;
  world = await newWorld({ metrics });
  hidden = new Set();
  refused = false;
});
afterEach(async () => world.stop());

describe("what was deleted while discovery did not tell of its resource", () => {
  test("is gone for its dependents as soon as discovery tells of it again", async () => {
    await startWithDiscovery();
    const [owner, other] = [await create(configMaps, "owner"), await create(configMaps, "other")];
    await create(secrets, "dependent", refTo(configMaps, owner));
    await create(secrets, "bystander", refTo(configMaps, other));
    await hide(configMaps);
    await remove(configMaps, "owner");
    await world.run(3 * LOOK_MS);
    expect(await names(secrets)).toEqual(["bystander", "dependent"]);
    await show(configMaps);
    expect(await names(secrets)).toEqual(["bystander"]);
    expect(await names(configMaps)).toEqual(["other"]);
  });

  test("also when it was being deleted before", async () => {
    await startWithDiscovery();
    const owner = await create(configMaps, "owner");
    await world.update<ApiObject>(configMaps, "owner", withFinalizers("example.com/hold"));
    await create(secrets, "dependent", refTo(configMaps, owner));
    await remove(configMaps, "owner");
    await world.run();
    await hide(configMaps);
    await world.update<ApiObject>(configMaps, "owner", withFinalizers());
    await world.run(LOOK_MS);
    expect(await names(secrets)).toEqual(["dependent"]);
    await show(configMaps);
    expect(await names(secrets)).toEqual([]);
  });

  test("also when another has its name", async () => {
    await startWithDiscovery();
    const owner = await create(configMaps, "owner");
    await create(secrets, "dependent", refTo(configMaps, owner));
    await hide(configMaps);
    await remove(configMaps, "owner");
    await create(configMaps, "owner");
    await show(configMaps);
    expect(await names(secrets)).toEqual([]);
    expect(await names(configMaps)).toEqual(["owner"]);
  });

  test("is asked of the server first: what the list lacks may be there", async () => {
    await startWithDiscovery();
    const owner = await create(configMaps, "owner");
    await create(secrets, "dependent", refTo(configMaps, owner));
    await hide(configMaps);
    await show(configMaps);
    await world.run(LOOK_MS);
    expect(await names(secrets)).toEqual(["dependent"]);
    expect(world.takeWrites().map(lineOf)).toEqual([]);
  });
});

test("while discovery is refused all goes on as before, and that is counted", async () => {
  await startWithDiscovery();
  const owner = await create(configMaps, "owner");
  await create(secrets, "dependent", refTo(configMaps, owner));
  refused = true;
  await world.run(2 * LOOK_MS);
  await remove(configMaps, "owner");
  await world.run();
  expect(await names(secrets)).toEqual([]);
  expect(await metrics.expose()).toMatch(/^garbagecollector_controller_resources_sync_error_total 2$/m);
});

describe("an owner whose dependents are to be orphans", () => {
  test("waits for them when nothing could be discovered for a long time", async () => {
    refused = true;
    await startWithDiscovery();
    await makeFamily();
    await world.run(2 * LOOK_MS);
    refused = false;
    await world.run(LOOK_MS);
    await expectOrphans();
  });

  test("waits for them when both are discovered late", async () => {
    await startWithDiscovery();
    // One that did not have to wait says nothing of the next.
    const ref = { namespace: NAMESPACE, name: "earlier" };
    await create(configMaps, "earlier");
    await world.client.dynamic(configMaps).delete(ref, { propagationPolicy: "Orphan" });
    await hide(configMaps);
    await hide(secrets);
    await makeFamily();
    await world.run(LOOK_MS);
    hidden.delete(groupResource(secrets));
    await show(configMaps);
    await expectOrphans();
  });

  /** More than come into the graph in one go. */
  const DEPENDENTS = 300;

  async function makeFamily(): Promise<void> {
    const owner = await create(configMaps, "owner");
    for (let index = 0; index < DEPENDENTS; index++)
      await create(secrets, `dependent-${index}`, refTo(configMaps, owner));
    const ref = { namespace: NAMESPACE, name: "owner" };
    await world.client.dynamic(configMaps).delete(ref, { propagationPolicy: "Orphan" });
  }

  async function expectOrphans(): Promise<void> {
    expect(await names(configMaps)).toEqual([]);
    const left = await world.list<ApiObject>(secrets);
    expect(left.length).toBe(DEPENDENTS);
    expect(left.filter(({ metadata }) => metadata.ownerReferences !== undefined)).toEqual([]);
  }
});

describe("a resource that is served in another version from now on", () => {
  beforeEach(async () => {
    await serve("v1", "v2");
    await startWithDiscovery();
  });

  test("keeps its objects, which can be deleted, and what went in between is noticed", async () => {
    const [kept, gone] = [await create(newWidgets, "kept"), await create(newWidgets, "gone")];
    const owner = await create(configMaps, "owner");
    await create(widgets, "dependent", refTo(configMaps, owner));
    await create(secrets, "of-kept", refTo(widgets, kept));
    await create(secrets, "of-gone", refTo(widgets, gone));
    await world.run(LOOK_MS);
    await hide(widgets);
    await serve("v1");
    await remove(widgets, "gone");
    await show(widgets);
    expect(await names(secrets)).toEqual(["of-kept"]);
    await remove(configMaps, "owner");
    await world.run();
    expect(await names(widgets)).toEqual(["kept"]);
    await remove(widgets, "kept");
    await world.run();
    expect(await names(secrets)).toEqual([]);
  });

  /** In these versions only; the last is preferred. */
  async function serve(...versions: readonly string[]): Promise<void> {
    const name = groupResource(widgets);
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const { group, plural, kind } = widgets;
    const spec = {
      group,
      names: { plural, singular: "widget", kind, listKind: "WidgetList" },
      scope: "Namespaced",
      versions: ["v1", "v2"].map((each) => ({
        name: each,
        served: versions.includes(each),
        storage: each === "v1",
        schema,
      })),
    };
    const all = await world.list<CustomResourceDefinition>(customResourceDefinitions);
    if (all.length === 0) await world.create(customResourceDefinitions, { metadata: { name }, spec });
    else
      await world.update<CustomResourceDefinition>(customResourceDefinitions, name, (found) => ({
        ...found,
        spec,
      }));
    await world.run();
  }
});

/** The collector, with a discovery that leaves out what is hidden, as when an older API server answers. */
async function startWithDiscovery(): Promise<void> {
  class LackingDiscovery extends Discovery {
    override async surface(signal?: AbortSignal): Promise<ApiSurface> {
      if (refused) throw internal("no discovery");
      const surface = await super.surface(signal);
      return { ...surface, resources: surface.resources.filter((each) => !hidden.has(groupResource(each))) };
    }
  }
  const controller = garbageCollectorController({ workers: 3 });
  await world.start({
    ...controller,
    build: (env) =>
      controller.build({
        ...env,
        client: { ...env.client, discovery: new LackingDiscovery(env.client.rest) },
      }),
  });
}

async function hide(resource: Resource): Promise<void> {
  hidden.add(groupResource(resource));
  await world.run(LOOK_MS);
}

async function show(resource: Resource): Promise<void> {
  hidden.delete(groupResource(resource));
  await world.run(LOOK_MS);
}

async function create(
  resource: Resource,
  name: string,
  ...ownerReferences: readonly OwnerReference[]
): Promise<ApiObject> {
  return world.create<ApiObject>(resource, { metadata: { name, ownerReferences } });
}

async function remove(resource: Resource, name: string): Promise<void> {
  await world.client.dynamic(resource).delete({ namespace: NAMESPACE, name });
}

function withFinalizers(...finalizers: readonly string[]): (object: ApiObject) => ApiObject {
  return (object) => ({ ...object, metadata: { ...object.metadata, finalizers } });
}

function refTo(resource: Resource, { metadata }: ApiObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
}

async function names(resource: Resource): Promise<readonly unknown[]> {
  return (await world.list<ApiObject>(resource)).map(({ metadata }) => metadata.name);
}
