import { afterEach, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import type { OwnerReference } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Event } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { namesOf, owned, refTo } from "./owned.ts";

const { configMaps, secrets, pods } = resources;
const columns = clusterKinds.flatMap(({ name, start }) =>
  name === "embedded"
    ? [{ title: name, start }]
    : [
        { title: "real", start },
        { title: "real, without watch cache,", start: async () => start(["--watch-cache=false"]) },
      ],
);

// upstream: test/integration/garbagecollector/garbage_collector_test.go#TestCrossNamespaceReferencesWithWatchCache, …WithoutWatchCache
describe.each(columns)("owners in other namespaces, on the $title API server", ({ start }) => {
  let cluster: ControllerCluster;
  afterEach(async () => cluster.stop());

  test("are no owners, and children that name them wrongly do not harm those that name them rightly", async () => {
    cluster = await start();
    const right = await cluster.space();
    const wrong = await cluster.space();
    const parent = await right.create(configMaps, owned("parent"));
    const children = Array.from({ length: 10 }, (_, index) => `child-${index}`);
    for (const name of children) await right.create(secrets, owned(name, refTo(configMaps, parent)));
    const asPod = { ...refTo(pods, parent), name: "invalid" };
    const invalid = Array.from({ length: 25 }, (_, index): OwnerReference => {
      const uid = `invalid-${index}`;
      return { apiVersion: "test/v1", kind: `Invalid${index}`, name: "invalid", uid };
    });
    for (const suffix of ["1", "2", "3", "4", "5"]) {
      await wrong.create(configMaps, owned(`many-${suffix}`, ...invalid, asPod));
      await wrong.create(secrets, owned(`many-${suffix}`, ...invalid, asPod));
      await wrong.create(secrets, owned(`one-${suffix}`, asPod));
    }
    cluster.run([garbageCollectorController({ workers: 5 })]);
    const withOneOwner = async (): Promise<readonly string[]> =>
      namesOf(await wrong.list(secrets)).filter((name) => name.startsWith("one-"));
    await wrong.until("those with one bad owner are gone", withOneOwner, (names) => names.length === 0);
    await right.never("a good child goes", 3_000, async () => (await right.list(secrets)).length !== 10);
    expect(namesOf(await right.list(secrets))).toEqual(children.toSorted());
    // With an owner of a kind that nobody knows, nothing can be said.
    expect(namesOf(await wrong.list(secrets))).toHaveLength(5);
    await wrong.create(secrets, owned("one-more", asPod));
    await wrong.until("a later one is gone too", withOneOwner, (names) => names.length === 0);
    const events = await wrong.list<Event>(resources.events);
    expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      `OwnerRefInvalidNamespace: ownerRef [v1/Pod, namespace: ${wrong.namespace}, name: invalid, ` +
        `uid: ${parent.metadata.uid}] does not exist in namespace "${wrong.namespace}"`,
    );
  });
});
