import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject, ObjectList, PartialObject } from "../../pkg/api/object.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import { allResources, isServedByDefault, resources } from "../../pkg/api/resources.ts";
import { SharedInformerFactory } from "../../pkg/cache/informer/informer-factory.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { servers, type TestServer } from "../harness/servers.ts";
import { until } from "../harness/until.ts";
import { MINIMAL_OBJECTS } from "./minimal-objects.ts";

/** Versions by key: equal versions are equal objects. */
function versions(objects: readonly PartialObject[]): Map<string, string | undefined> {
  return new Map(
    objects
      .map((object) => [keyOf(object), object.metadata.resourceVersion] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

describe.each(servers)("informers of the $name API server", ({ start }) => {
  let server: TestServer;
  let builder: ClientBuilder;
  let clients: ClientSet;
  beforeAll(async () => {
    server = await start();
    builder = await clientsOf(server.kubeconfig);
    clients = builder.client("informers");
  });
  afterAll(async () => {
    await builder?.close();
    await server?.stop();
  });

  function factoryOver(): SharedInformerFactory {
    return new SharedInformerFactory({
      clients,
      clock: realClock,
      random: realRandom,
      log: silentLogger,
      metrics: noMetrics,
      name: "test",
      strict: (error) => {
        throw error;
      },
    });
  }

  async function listed(resource: Resource): Promise<Map<string, string | undefined>> {
    const list: ObjectList<ApiObject> = await clients.dynamic(resource).list();
    return versions(list.items);
  }

  test("every built-in resource is listed and followed", async () => {
    const watched: readonly Resource[] = allResources().filter(
      (resource) =>
        isServedByDefault(resource) && resource.verbs.includes("list") && resource.verbs.includes("watch"),
    );
    expect(watched.length).toBeGreaterThan(55);
    const factory = factoryOver();
    const informers = watched.map((resource) => ({ resource, informer: factory.informer(resource) }));
    const metadata = factory.metadataInformer(resources.endpointSlices, { namespace: "default" });
    factory.start(new AbortController().signal);
    expect(await factory.waitForSync(AbortSignal.timeout(30_000))).toEqual([]);
    for (const [resource, object] of MINIMAL_OBJECTS) {
      const created = await clients.dynamic(resource).create(object);
      const followed = informers.find((each) => each.resource === resource)?.informer;
      await until(
        `${groupResource(resource)} is in the cache`,
        () => followed?.lister.getByKey(keyOf(created)) !== undefined,
      );
    }
    for (const { resource, informer } of informers) {
      await until(`the cache of ${groupResource(resource)} equals a list`, async () => {
        const [cached, current] = [versions(informer.lister.list()), await listed(resource)];
        return JSON.stringify([...cached]) === JSON.stringify([...current]);
      });
    }
    expect(metadata.lister.list()[0]).toMatchObject({ kind: "EndpointSlice" });
    await factory.shutdown();
  });
});
