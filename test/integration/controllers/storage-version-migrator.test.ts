import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageVersionMigrator } from "../../../controllers/storageversionmigrator/controller.ts";
import type { ApiObject, Stored } from "../../../pkg/api/object.ts";
import type { Resource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { CustomResourceDefinition } from "../../../pkg/api/types/apiextensions-v1.gen.ts";
import type { V1beta1StorageVersionMigration as Migration } from "../../../pkg/api/types/storagemigration-v1beta1.gen.ts";
import { isConflict, isNotFound } from "../../../pkg/client/errors.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { until } from "../../harness/until.ts";
import { createDefinition, custom } from "./custom-resources.ts";
import { servedSince } from "../../harness/where.ts";

const FLAGS = [
  "--feature-gates=StorageVersionMigrator=true",
  "--runtime-config=storagemigration.k8s.io/v1beta1=true",
];
const GROUP = "stable.example.com";

// upstream: test/integration/storageversionmigrator/storageversionmigrator_test.go
describe.each(servedSince(accountClusterKinds, 36))(
  "migrations of storage on the $name API server",
  ({ start }) => {
    let cluster: AccountCluster;
    beforeAll(async () => {
      const migrator = storageVersionMigrator({ collectsGarbage: true });
      cluster = await start(() => [{ ...migrator, featureGates: [] }], FLAGS);
    });
    afterAll(async () => cluster?.stop());

    const migrations = () => cluster.client.clientFor<Migration>(resources.storageVersionMigrations);
    const definitions = () => cluster.client.clientFor(resources.customResourceDefinitions);

    const begin = async (name: string, group: string, resource: string) =>
      migrations().create({ metadata: { name }, spec: { resource: { group, resource } } });

    /** What is true of it at its end. */
    async function untilOver(
      name: string,
      meanwhile = async () => undefined as unknown,
    ): Promise<Stored<Migration>> {
      let found: Stored<Migration> | undefined;
      await until(`${name} is over`, async () => {
        await meanwhile();
        found = await migrations().get({ name });
        const running = found.status?.conditions?.find(({ type }) => type === "Running");
        return running?.status === "False";
      });
      if (found === undefined) throw new Error("it was not found");
      return found;
    }
    const endOf = ({ status }: Migration): string =>
      (status?.conditions ?? []).map(({ type, status: value }) => `${type}=${value}`).join();
    const SUCCESS = "Running=False,Succeeded=True";

    // #TestStorageVersionMigration, of which encryption is left out
    test("secrets that are stored as they should be stay what they are, however often", async () => {
      const secrets = cluster.client.clientFor(resources.secrets);
      const made = await secrets.create({
        metadata: { namespace: "default", name: "test-secret" },
        stringData: { api_key: "a value" },
      });
      for (const name of ["test-svm", "second-test-svm"]) {
        await begin(name, "", "secrets");
        expect(endOf(await untilOver(name))).toBe(SUCCESS);
        expect((await secrets.get({ namespace: "default", name: "test-secret" })).metadata).toEqual(
          made.metadata,
        );
      }
    });

    describe("custom resources", () => {
      const versions = (storage: string) =>
        ["v1", "v2"].map((name) => ({
          name,
          served: true,
          storage: name === storage,
          schema: {
            openAPIV3Schema: { type: "object" as const, "x-kubernetes-preserve-unknown-fields": true },
          },
        }));
      const NAME = `testcrds.${GROUP}`;
      const resource = (version: string): Resource => ({
        group: GROUP,
        version,
        plural: "testcrds",
        kind: "TestCrd",
        namespaced: true,
      });
      const objects = (version: string): ResourceClient => cluster.client.dynamic(resource(version));
      const create = async (name: string, version: string) =>
        objects(version).create({ metadata: { namespace: "default", name } });
      const read = async (name: string) => objects("v2").get({ namespace: "default", name });

      async function changeDefinition(change: (found: CustomResourceDefinition) => CustomResourceDefinition) {
        await until("the definition is changed", async () => {
          try {
            await definitions().update(change(await definitions().get({ name: NAME })));
            return true;
          } catch (error) {
            if (isConflict(error)) return false;
            throw error;
          }
        });
      }

      /** The server stores objects in the new version from a moment on that it does not tell. */
      async function untilStoredAsNew(): Promise<void> {
        await until("objects are stored in the new version", async () => {
          const { metadata } = await create("probe", "v2");
          const { name, namespace, uid, resourceVersion } = metadata;
          const same = await objects("v2").apply(
            { metadata: { name, namespace: namespace ?? "", uid, resourceVersion } },
            { fieldManager: "probe" },
          );
          await objects("v2").delete({ namespace: "default", name: "probe" });
          return same.metadata.resourceVersion === resourceVersion;
        });
      }

      // #TestStorageVersionMigrationWithCRD, without a webhook: versions differ by their name
      test("are stored in the new version afterwards, and their definition may forget the old one", async () => {
        await definitions().create({
          metadata: { name: NAME },
          spec: {
            group: GROUP,
            scope: "Namespaced",
            names: { plural: "testcrds", kind: "TestCrd" },
            versions: versions("v1"),
          },
        });
        await until("they are served", async () => {
          try {
            await objects("v2").list({ limit: 1 });
            return true;
          } catch (error) {
            if (isNotFound(error)) return false;
            throw error;
          }
        });
        const old = await Promise.all([create("cr1", "v1"), create("cr2", "v2")]);
        await changeDefinition((found) => ({ ...found, spec: { ...found.spec, versions: versions("v2") } }));
        await untilStoredAsNew();
        const fresh = await Promise.all([create("cr3", "v1"), create("cr4", "v2")]);

        await begin("crdsvm", GROUP, "testcrds");
        expect(endOf(await untilOver("crdsvm"))).toBe(SUCCESS);

        for (const { metadata } of old) {
          const now = (await read(metadata.name)).metadata;
          expect(now.resourceVersion).not.toBe(metadata.resourceVersion);
          expect([now.generation, now.uid]).toEqual([metadata.generation, metadata.uid]);
        }
        for (const { metadata } of fresh) {
          const now = (await read(metadata.name)).metadata;
          expect([now.resourceVersion, now.generation]).toEqual([
            metadata.resourceVersion,
            metadata.generation,
          ]);
        }
        const { status } = await definitions().get({ name: NAME });
        expect(status?.storedVersions).toEqual(["v2"]);
        expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")).toMatchObject({
          status: "False",
          reason: "MigrationSucceeded",
          message: "The migration has succeeded and the stored versions have been updated",
        });
        // Which is refused while objects may be stored in it.
        await changeDefinition((found) => ({
          ...found,
          spec: { ...found.spec, versions: versions("v2").slice(1) },
        }));
        expect((await objects("v2").list()).items).toHaveLength(4);
      });

      test("of a definition that was migrated before: it knows what is stored all the time", async () => {
        const seen = new Set<string>();
        await begin("again", GROUP, "testcrds");
        const look = async (): Promise<void> => {
          seen.add(String((await definitions().get({ name: NAME })).status?.storedVersions));
        };
        expect(endOf(await untilOver("again", look))).toBe(SUCCESS);
        expect(seen).toEqual(new Set(["v2"]));
      });

      // #TestStorageVersionMigrationDuringChaos
      test("that come and go meanwhile hold nothing up, and those that stay are not changed", async () => {
        const chaotic = await createDefinition(cluster.client, "Namespaced", "chaotics");
        const client = cluster.client.dynamic(chaotic);
        const made: Stored<ApiObject>[] = [];
        for (let index = 0; index < 50; index++)
          made.push(await client.create(custom(`created-cr-${index}`, { namespace: "default" })));
        const over = new AbortController();
        const chaos = Array.from({ length: 4 }, async (_, monkey) => {
          for (let times = 0; !over.signal.aborted; times++) {
            const name = `chaos-cr-${monkey}-${times}`;
            await client.create(custom(name, { namespace: "default" }));
            await client.delete({ namespace: "default", name });
            // In this process nothing else would ever have its turn.
            await realClock.turn();
          }
        });
        const names = Array.from({ length: 10 }, (_, index) => `chaos-svm-${index}`);
        try {
          await Promise.all(names.map(async (name) => begin(name, chaotic.group, chaotic.plural)));
          const ends = await Promise.all(names.map(async (name) => untilOver(name)));
          expect(new Set(ends.map(endOf))).toEqual(new Set([SUCCESS]));
        } finally {
          over.abort();
          await Promise.all(chaos);
        }
        for (const { metadata } of made)
          expect((await client.get({ namespace: "default", name: metadata.name })).metadata).toEqual(
            metadata,
          );
        const { status } = await definitions().get({ name: `${chaotic.plural}.${chaotic.group}` });
        expect(status?.storedVersions).toEqual(["v1"]);
      });
    });

    test("a resource that cannot be written is none to migrate", async () => {
      await begin("reviews", "authorization.k8s.io", "subjectaccessreviews");
      const failed = await untilOver("reviews");
      expect(endOf(failed)).toBe("Running=False,Failed=True");
      expect(failed.status?.conditions?.[1]?.message).toBe(
        'resource "authorization.k8s.io/v1, Resource=subjectaccessreviews" does not support discovery operations: [update patch list]',
      );
    });
  },
);
