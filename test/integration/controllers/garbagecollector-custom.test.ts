import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { groupResource, type Resource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { HurriedClock } from "../../harness/hurried-clock.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { until } from "../../harness/until.ts";
import { createDefinition } from "./custom-resources.ts";
import { namesOf, owned, refTo } from "./owned.ts";
import { testWhere } from "../../harness/where.ts";

const { configMaps, secrets } = resources;
const definitions = resources.customResourceDefinitions;
/** 30 s between two looks at what the server serves become 1.5 s. */
const clock = new HurriedClock(realClock, 20);
const collector = garbageCollectorController({ workers: 5 });

// Names of upstream's functions (test/integration/garbagecollector) stand in front of each case.
describe.each(clusterKinds)(
  "the garbage collector and custom resources on the $name API server",
  ({ name, start }) => {
    let cluster: ControllerCluster;
    let space: TestSpace;
    beforeAll(async () => {
      cluster = await start();
      cluster.run([collector], { clock });
    });
    beforeEach(async () => {
      space = await cluster.space();
    });
    afterAll(async () => cluster.stop());

    test("CustomResourceCascadingDeletion: custom owners, custom dependents", async () => {
      const things = await createDefinition(cluster.client, "Namespaced");
      const owner = await space.create(things, owned("owner"));
      await space.create(things, owned("dependent", refTo(things, owner, { blockOwnerDeletion: true })));
      await remove(things, "owner", "Foreground");
      await untilNames(things, []);
    });

    test("custom dependents are made orphans, though strategic merge is not for them", async () => {
      const things = await createDefinition(cluster.client, "Namespaced");
      const owner = await space.create(configMaps, owned("owner"));
      const other = await space.create(configMaps, owned("other"));
      await space.create(things, owned("one", refTo(configMaps, owner)));
      await space.create(things, owned("two", refTo(configMaps, owner), refTo(configMaps, other)));
      await untilWatched(things);
      await remove(configMaps, "owner", "Orphan");
      await untilNames(configMaps, ["other"]);
      const left = await space.list<ApiObject>(things);
      expect(namesOf(left)).toEqual(["one", "two"]);
      expect(left.map(({ metadata }) => metadata.ownerReferences?.map(({ name }) => name))).toEqual([
        undefined,
        ["other"],
      ]);
    });

    test("MixedRelationships: custom owners of core objects, and the other way round", async () => {
      const things = await createDefinition(cluster.client, "Namespaced");
      const customOwner = await space.create(things, owned("custom-owner"));
      await space.create(
        configMaps,
        owned("dependent", refTo(things, customOwner, { blockOwnerDeletion: true })),
      );
      const coreOwner = await space.create(configMaps, owned("core-owner"));
      await space.create(
        things,
        owned("dependent", refTo(configMaps, coreOwner, { blockOwnerDeletion: true })),
      );
      await untilWatched(things);
      await remove(things, "custom-owner", "Foreground");
      await untilNames(configMaps, ["core-owner"]);
      // The owner goes a moment after its last dependent.
      await untilNames(things, ["dependent"]);
      await remove(configMaps, "core-owner", "Foreground");
      await untilNames(configMaps, []);
      await untilNames(things, []);
    });

    test("CRDDeletionCascading: with a definition go its objects and what they own, also the second time", async () => {
      const plural = `twice${cluster.kubeconfig === undefined ? "e" : "r"}`;
      for (const time of ["first", "second"]) {
        const things = await createDefinition(cluster.client, "Namespaced", plural);
        const owner = await space.create(things, owned("owner"));
        await space.create(configMaps, owned("dependent", refTo(things, owner)));
        await untilWatched(things);
        await removeDefinition(things);
        await untilNames(configMaps, []);
        await until(`the definition is gone the ${time} time`, async () => !(await isDefined(things)));
      }
    });

    test("what went while its version was no longer served, and not watched, is gone for its dependents", async () => {
      const things = await createDefinition(cluster.client, "Namespaced");
      const preferred = { ...things, version: "v2" };
      await serve(things, "v1", "v2");
      const owner = await space.create(things, owned("owner"));
      const kept = await space.create(things, owned("kept"));
      await space.create(configMaps, owned("dependent", refTo(things, owner)));
      await space.create(configMaps, owned("kin", refTo(things, kept)));
      await untilWatched(preferred);
      await serve(things, "v1");
      // The watch of the other version has ended, and the collector has not asked yet what is served.
      await remove(things, "owner", "Background");
      await untilNames(configMaps, ["kin"]);
      await remove(things, "kept", "Background");
      await untilNames(configMaps, []);
    });

    // The embedded server does not call webhooks.
    testWhere(name === "real")(
      "CascadingDeleteOnCRDConversionFailure: a resource that cannot be listed stops nobody",
      async () => {
        const things = await createDefinition(cluster.client, "Namespaced");
        await space.create(things, owned("thing"));
        await breakConversion(things);
        await cluster.stopControllers();
        cluster.run([collector], { clock });
        const owner = await space.create(configMaps, owned("owner"));
        await space.create(secrets, owned("dependent", refTo(configMaps, owner)));
        await remove(configMaps, "owner", "Background");
        await space.until(
          "the dependent is gone",
          async () => space.find(secrets, "dependent"),
          (seen) => seen === undefined,
        );
        await expect(space.list({ ...things, version: "v2" })).rejects.toThrow("conversion webhook");
        await cluster.client
          .dynamic(definitions)
          .patch({ name: groupResource(things) }, { type: "merge", body: { spec: { conversion: null } } });
      },
    );

    /** What is stored as v1 can be read as v2 by way of a webhook only, and nobody answers there. */
    async function breakConversion(resource: Resource): Promise<void> {
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const service = { namespace: space.namespace, name: "none" };
      const body = {
        spec: {
          conversion: {
            strategy: "Webhook",
            webhook: { clientConfig: { service }, conversionReviewVersions: ["v1"] },
          },
          versions: [
            { name: "v2", served: true, storage: true, schema },
            { name: "v1", served: true, storage: false, schema },
          ],
        },
      };
      await cluster.client
        .dynamic(definitions)
        .patch({ name: groupResource(resource) }, { type: "merge", body });
      await until("the conversion fails", async () => {
        try {
          await cluster.client.dynamic({ ...resource, version: "v2" }).list();
          return false;
        } catch (error) {
          return String(error).includes("conversion webhook");
        }
      });
    }

    /** In these of its two versions, of which v2 is preferred. */
    async function serve(resource: Resource, ...served: readonly string[]): Promise<void> {
      const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
      const versions = ["v1", "v2"].map((name) => ({
        name,
        served: served.includes(name),
        storage: name === "v1",
        schema,
      }));
      await cluster.client
        .dynamic(definitions)
        .patch({ name: groupResource(resource) }, { type: "merge", body: { spec: { versions } } });
      await until(`v2 of ${resource.plural} is as it should be`, async () => {
        const list = cluster.client.dynamic({ ...resource, version: "v2" }).list();
        const isServed = await list.then(
          () => true,
          () => false,
        );
        return isServed === served.includes("v2");
      });
    }

    async function remove(
      resource: Resource,
      name: string,
      propagationPolicy: "Background" | "Foreground" | "Orphan",
    ): Promise<void> {
      const ref = { namespace: space.namespace, name };
      await cluster.client.dynamic(resource).delete(ref, { propagationPolicy });
    }

    async function removeDefinition(resource: Resource): Promise<void> {
      await cluster.client.clientFor(definitions).delete({ name: groupResource(resource) });
    }

    async function isDefined(resource: Resource): Promise<boolean> {
      const all = await cluster.client.clientFor<ApiObject>(definitions).list();
      return all.items.some(({ metadata }) => metadata.name === groupResource(resource));
    }

    async function untilNames(resource: Resource, expected: readonly string[]): Promise<void> {
      await space.until(
        `the ${resource.plural} are ${JSON.stringify(expected)}`,
        async () => namesOf(await space.list<ApiObject>(resource)),
        (names) => JSON.stringify(names) === JSON.stringify(expected),
      );
    }

    /** The garbage collector watches the resource: it deletes an object of it whose owner does not exist. */
    async function untilWatched(resource: Resource): Promise<void> {
      const none = { metadata: { name: "none", uid: "none" } };
      await space.create(resource, owned("probe", refTo(configMaps, none)));
      await space.until(
        `${resource.plural} are watched`,
        async () => space.find(resource, "probe"),
        (seen) => seen === undefined,
      );
    }
  },
);
