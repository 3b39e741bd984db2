import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import { namespaceController } from "../../../controllers/namespace/controller.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Resource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { MINIMAL_OBJECTS } from "../minimal-objects.ts";
import { createDefinition } from "./custom-resources.ts";
import { atFullSize, inParallel, report, untilAfterAll } from "./stress.ts";

const KINDS = 40;
const EACH = atFullSize(50);

/** A claim is held by a finalizer that belongs to another controller. */
const builtIn = MINIMAL_OBJECTS.filter(
  ([resource]) => resource.namespaced && resource.plural !== "persistentvolumeclaims",
);

describe.each(clusterKinds)("a full namespace on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([
      namespaceController({ workers: 10, syncPeriodMs: 300_000 }),
      garbageCollectorController({ workers: 20 }),
    ]);
  });
  afterAll(async () => cluster.stop());

  test(`${KINDS * EACH} objects of ${KINDS} kinds go with it`, async () => {
    const space = await cluster.space();
    const kinds: (readonly [Resource, ApiObject])[] = [...builtIn];
    while (kinds.length < KINDS)
      kinds.push([await createDefinition(cluster.client, "Namespaced"), { metadata: {} }]);
    expect(kinds).toHaveLength(KINDS);
    await inParallel(KINDS * EACH, 20, async (index) => {
      const [resource, object] = kinds[index % KINDS] ?? [resources.configMaps, { metadata: {} }];
      await space.create<ApiObject>(resource, { ...object, metadata: { name: `object-${index}` } });
    });
    await cluster.client.clientFor(resources.namespaces).delete({ name: space.namespace });
    const seconds = await untilAfterAll("the namespace is gone", async () => {
      const { items } = await cluster.client
        .clientFor<ApiObject>(resources.namespaces)
        .list({ fieldSelector: `metadata.name=${space.namespace}` });
      return items.length === 0;
    });
    const left: string[] = [];
    for (const [resource] of kinds) if ((await space.list(resource)).length > 0) left.push(resource.plural);
    expect(left).toEqual([]);
    report(`${KINDS * EACH} objects of ${KINDS} kinds in ${seconds} s, 5 s of grace included`);
  }, 600_000);
});
