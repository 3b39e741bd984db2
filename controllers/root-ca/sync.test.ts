import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ConfigMap, Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import { conflict, internal, StatusError } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { CONFIG_MAP, newConfigMap } from "./config-map.ts";
import { rootCaPublisherController } from "./controller.ts";

const CA = "the CA";
const { main: metrics } = createMetrics({ version: "1.36.4" });
const terminating = new StatusError(403, "Forbidden", "the namespace is being terminated", {
  details: { causes: [{ reason: "NamespaceTerminating", message: "it is being terminated" }] },
});

let world: ControllerWorld;
beforeEach(async () => {
  metrics.reset();
  world = await newWorld({ metrics });
});
afterEach(async () => world.stop());

// upstream: pkg/controller/certificates/rootcacertpublisher/publisher_test.go#TestConfigMapCreation
describe("the CA is published", () => {
  test("to namespaces that are there and to new ones", async () => {
    await start();
    await world.create<Namespace>(resources.namespaces, { metadata: { name: "new" } });
    await world.run();
    expect(linesTaken()).toEqual(["create configmaps", "create configmaps"]);
    const maps = await world.list<ConfigMap>(resources.configMaps);
    expect(maps.map(({ metadata, data }) => [metadata.namespace, metadata.name, data])).toEqual([
      ["default", CONFIG_MAP, { "ca.crt": CA }],
      ["new", CONFIG_MAP, { "ca.crt": CA }],
    ]);
  });

  test("again when it is deleted, and nothing is done for other maps", async () => {
    await world.create<ConfigMap>(resources.configMaps, { metadata: { name: "other" }, data: { a: "b" } });
    await start();
    world.takeWrites();
    await world.update<ConfigMap>(resources.configMaps, "other", (map) => ({ ...map, data: { a: "c" } }));
    await world.delete(resources.configMaps, "other");
    await world.run();
    expect(linesTaken()).toEqual([]);
    await world.delete(resources.configMaps, CONFIG_MAP);
    await world.run();
    expect(linesTaken()).toEqual(["create configmaps"]);
  });

  test("again when it is created and deleted while nobody can watch", async () => {
    await start();
    const { faults, store } = world.server.parts;
    const target = { resource: "configmaps", verb: "watch" } as const;
    const repair = faults.add({
      target,
      action: { kind: "status", when: "before", error: internal("down") },
    });
    faults.dropWatches({ resource: "configmaps" });
    await world.create<Namespace>(resources.namespaces, { metadata: { name: "new" } });
    await world.run(1_000);
    await world.client.clientFor(resources.configMaps).delete({ namespace: "new", name: CONFIG_MAP });
    store.compact();
    repair();
    await world.run(120_000);
    const maps = await world.list<ConfigMap>(resources.configMaps);
    expect(maps.map(({ metadata }) => metadata.namespace)).toEqual(["default", "new"]);
  });

  test("again when a namespace changes in which it could not be", async () => {
    await start();
    await world.run(10_000);
    world.server.parts.faults.add({
      target: { verb: "create", resource: "configmaps" },
      action: { kind: "status", when: "before", error: terminating },
      times: 1,
    });
    await world.delete(resources.configMaps, CONFIG_MAP);
    await world.run(10_000);
    expect(await world.list(resources.configMaps)).toEqual([]);
    await world.update<Namespace>(resources.namespaces, "default", (found) => ({
      ...found,
      metadata: { ...found.metadata, labels: { team: "a" } },
    }));
    await world.run();
    expect(await world.list(resources.configMaps)).toHaveLength(1);
  });

  test("again over what others make of it, and their labels stay", async () => {
    await start();
    world.takeWrites();
    await world.update<ConfigMap>(resources.configMaps, CONFIG_MAP, (map) => ({
      ...map,
      metadata: { ...map.metadata, labels: { team: "a" } },
      data: { "ca.crt": "forged" },
    }));
    await world.run();
    expect(linesTaken()).toEqual([`update configmaps ${CONFIG_MAP}`]);
    const { metadata, data } = await world.get<ConfigMap>(resources.configMaps, CONFIG_MAP);
    expect(data).toEqual({ "ca.crt": CA });
    expect(metadata.labels).toEqual({ team: "a" });
  });

  test("not to a namespace that is being deleted", async () => {
    await start();
    await world.run(10_000);
    await world.delete(resources.namespaces, "default");
    world.server.parts.faults.add({
      target: { verb: "create", resource: "configmaps" },
      action: { kind: "status", when: "before", error: terminating },
    });
    await world.delete(resources.configMaps, CONFIG_MAP);
    world.takeWrites();
    await world.run(10_000);
    // The one attempt is refused, and there is no other.
    expect(linesTaken()).toEqual(["create configmaps"]);
  });
});

// upstream: pkg/controller/certificates/rootcacertpublisher/metrics_test.go#TestSyncCounter
describe("syncs are counted by the answer", () => {
  test.each<[string, StatusError | undefined, string]>([
    ["success", undefined, "200"],
    ["a refusal", conflict(resources.configMaps, CONFIG_MAP), "409"],
    ["a failure", internal("down"), "500"],
  ])("%s", async (_, error, code) => {
    const repair =
      error &&
      world.server.parts.faults.add({
        target: { verb: "create", resource: "configmaps" },
        times: 1,
        action: { kind: "status", when: "before", error },
      });
    await start();
    repair?.();
    const text = await metrics.expose();
    expect(text).toContain(`root_ca_cert_publisher_sync_total{code="${code}"} 1`);
    expect(text).toContain(`root_ca_cert_publisher_sync_duration_seconds_count{code="${code}"} 1`);
    // In the end it is there.
    expect((await world.get<ConfigMap>(resources.configMaps, CONFIG_MAP)).data).toEqual({ "ca.crt": CA });
  });

  test("no answer at all is a failure", async () => {
    world.server.parts.faults.add({
      target: { verb: "create", resource: "configmaps" },
      times: 1,
      action: { kind: "disconnect", when: "after" },
    });
    await start();
    expect(await metrics.expose()).toContain('root_ca_cert_publisher_sync_total{code="500"} 1');
  });
});

test("a map that is right is left alone", async () => {
  await world.create<ConfigMap>(resources.configMaps, newConfigMap("default", CA));
  await start();
  expect(linesTaken()).toEqual([]);
});

async function start(): Promise<void> {
  await world.start(rootCaPublisherController({ rootCa: () => CA }));
  await world.run();
}

function linesTaken(): readonly string[] {
  return world.takeWrites().map(lineOf);
}
