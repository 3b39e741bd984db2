import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import { podGarbageCollectorController } from "../../../controllers/podgc/controller.ts";
import type { ApiObject, OwnerReference } from "../../../pkg/api/object.ts";
import type { Resource, TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { owned, refTo } from "./owned.ts";
import { atFullSize, inParallel, report, stressRounds, untilAfterAll } from "./stress.ts";
import { pod } from "./workloads.ts";

const OWNERS = atFullSize(100);
const PODS = atFullSize(5_000);
const BYSTANDERS = atFullSize(1_000);
const { configMaps, secrets, pods } = resources;
const policies = ["Background", "Foreground", "Orphan"] as const;
const rounds = Array.from({ length: stressRounds }, (_, round) => ({
  round,
  policy: policies[round % policies.length] ?? "Background",
}));

/** Where they are, and whom the one of this number names. */
interface Bystanders {
  readonly space: TestSpace;
  owners(index: number): readonly OwnerReference[];
}

/**
 * 5,000 pods lose their 100 owners while the API server is killed and comes back, and 1,000 objects that look much like
 * them are none of anybody's business: owners of the same names in another namespace, or of another kind; one more
 * owner that stays, as controller or not; or no owner at all.
 */
describe.each(clusterKinds)("garbage by the thousand on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  beforeAll(async () => {
    cluster = await start();
    // An API server that is killed in the middle of the two steps in which it deletes a pod leaves it half deleted, for
    // the collector of pods to finish.
    cluster.run([
      garbageCollectorController({ workers: 20 }),
      podGarbageCollectorController({ threshold: 12_500 }),
    ]);
  });
  afterAll(async () => cluster.stop());

  test.each(rounds)(
    "round $round: $policy",
    async ({ policy }) => {
      const space = await cluster.space();
      const owners = await createOwners(space);
      await inParallel(PODS, 40, async (index) => {
        const owner = owners[index % OWNERS] ?? { metadata: {} };
        const made = pod(`pod-${index}`);
        const ownerReferences = [refTo(configMaps, owner, { blockOwnerDeletion: true })];
        await space.create(pods, { ...made, metadata: { ...made.metadata, ownerReferences } });
      });
      const bystanders = await createBystanders(space, owners);
      await untilWatched(space);
      const restarted = restartHalfWay(space, policy);
      await inParallel(OWNERS, 20, async (index) => remove(space, `owner-${index}`, policy));
      const seconds = await untilAfterAll("all is done", async () => isDone(space, policy));
      await restarted;
      await untilAfterAll("the bystanders are there", async () => (await bystanders()).length === BYSTANDERS);
      const left = await space.list<ApiObject>(pods);
      expect(left).toHaveLength(policy === "Orphan" ? PODS : 0);
      expect(left.filter(({ metadata }) => metadata.ownerReferences !== undefined)).toEqual([]);
      report(
        `${policy}: ${PODS} pods of ${OWNERS} owners in ${seconds} s, ${BYSTANDERS} bystanders untouched`,
      );
    },
    600_000,
  );

  async function createOwners(
    space: TestSpace,
    resource: TypedResource<ApiObject> = configMaps,
  ): Promise<readonly ApiObject[]> {
    const owners: ApiObject[] = [];
    await inParallel(OWNERS, 20, async (index) => {
      owners[index] = await space.create(resource, owned(`owner-${index}`));
    });
    return owners;
  }

  /** Gives a look at those that are there, as they were made. */
  async function createBystanders(
    space: TestSpace,
    owners: readonly ApiObject[],
  ): Promise<() => Promise<readonly ApiObject[]>> {
    const elsewhere = await cluster.space();
    const [ofElsewhere, ofOtherKind] = [await createOwners(elsewhere), await createOwners(space, secrets)];
    const staying = refTo(secrets, await space.create(secrets, owned("staying")), {
      blockOwnerDeletion: true,
    });
    const refOf = (resource: Resource, among: readonly ApiObject[], index: number): OwnerReference =>
      refTo(resource, among[index % OWNERS] ?? { metadata: {} });
    const sorts: readonly Bystanders[] = [
      { space, owners: () => [] },
      { space, owners: (index) => [refOf(configMaps, owners, index), staying] },
      { space, owners: (index) => [refOf(configMaps, owners, index), { ...staying, controller: true }] },
      { space, owners: (index) => [refOf(secrets, ofOtherKind, index)] },
      { space: elsewhere, owners: (index) => [refOf(configMaps, ofElsewhere, index)] },
    ];
    const uids = new Set<string>();
    await inParallel(BYSTANDERS, 40, async (index) => {
      const sort = sorts[index % sorts.length];
      const made = await sort?.space.create(secrets, owned(`pod-${index}`, ...sort.owners(index)));
      uids.add(made?.metadata.uid ?? "");
    });
    return async () => {
      const all = [...(await space.list<ApiObject>(secrets)), ...(await elsewhere.list<ApiObject>(secrets))];
      return all.filter(
        ({ metadata }) => uids.has(metadata.uid ?? "") && metadata.deletionTimestamp === undefined,
      );
    };
  }

  async function restartHalfWay(space: TestSpace, policy: string): Promise<void> {
    if (cluster.restartApiServer === undefined) return;
    await untilAfterAll("a third is done", async () => {
      const left = await space.list<ApiObject>(pods);
      const done = left.filter(({ metadata }) => metadata.ownerReferences === undefined).length;
      return (policy === "Orphan" ? done : PODS - left.length) > PODS / 3;
    });
    await cluster.restartApiServer();
  }

  async function isDone(space: TestSpace, policy: string): Promise<boolean> {
    if ((await space.list(configMaps)).length > 0) return false;
    return policy === "Orphan" || (await space.list(pods)).length === 0;
  }

  async function remove(
    space: TestSpace,
    name: string,
    propagationPolicy: (typeof policies)[number],
  ): Promise<void> {
    const ref = { namespace: space.namespace, name };
    await untilAfterAll(`${name} is told to go`, async () => {
      const there = await space.find<ApiObject>(configMaps, name);
      if (there === undefined || there.metadata.deletionTimestamp !== undefined) return true;
      await cluster.client.dynamic(configMaps).delete(ref, { propagationPolicy });
      return true;
    });
  }

  /** By then the collector has seen every pod and every owner. */
  async function untilWatched(space: TestSpace): Promise<void> {
    const none = refTo(secrets, { metadata: { name: "none", uid: "none" } });
    const made = pod("probe");
    await space.create(pods, { ...made, metadata: { ...made.metadata, ownerReferences: [none] } });
    await untilGone(space, pods);
    await space.create(configMaps, owned("probe", none));
    await untilGone(space, configMaps);
  }

  async function untilGone(space: TestSpace, resource: Resource): Promise<void> {
    await untilAfterAll("the probe is gone", async () => (await space.find(resource, "probe")) === undefined);
  }
});
