import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { type Answer, type Body, describeApi } from "./api-client.ts";

const MIGRATIONS = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
const VERSIONS = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly format: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}
const tableOf = ({ body }: Answer): Table => body as unknown as Table;

type Cause = readonly [reason: string, field: string, message: string];

/** What a refusal gives as its causes; the messages as far as Go's internal structs are not in them. */
function causesOf({ body }: Answer): readonly Cause[] {
  const causes = (body.details["causes"] ?? []) as readonly {
    readonly reason: string;
    readonly field: string;
    readonly message: string;
  }[];
  return causes.map(({ reason, field, message }) => [
    reason,
    field,
    message.replace(/: (?:\{|\[).*?: /, ": "),
  ]);
}

const condition = (type: string, status = "True", changes: object = {}): object => ({
  type,
  status,
  reason: "Test",
  message: "said by a test",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...changes,
});

const migration = (name: string, resource: unknown = { group: "apps", resource: "deployments" }): object => ({
  metadata: { name },
  spec: { resource },
});

const dns1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an ";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'";

describeApi(
  "migrations of storage versions",
  (api) => {
    // upstream: pkg/apis/storagemigration/validation/validation_test.go#TestValidateStorageVersionMigration
    test.each<[string, unknown, readonly (readonly [reason: string, field: string, begins: string])[]]>([
      ["both", { group: "apps", resource: "deployments" }, []],
      ["no group", { resource: "pods" }, []],
      ["nothing", {}, [["FieldValueRequired", "spec.resource.resource", "Required value: resource is "]]],
      [
        "no resource",
        { group: "apps" },
        [["FieldValueRequired", "spec.resource.resource", "Required value: resource is required to be set"]],
      ],
      [
        "a resource that is none",
        { group: "apps", resource: "Deployments" },
        [["FieldValueInvalid", "spec.resource.resource", `Invalid value: "Deployments": ${dns1035}`]],
      ],
      [
        "a subresource",
        { group: "apps", resource: "deployments/scale" },
        [["FieldValueInvalid", "spec.resource.resource", `Invalid value: "deployments/scale": ${dns1035}`]],
      ],
      [
        "a group that is none",
        { group: "Apps", resource: "deployments" },
        [["FieldValueInvalid", "spec.resource.group", `Invalid value: "Apps": ${subdomain}`]],
      ],
      [
        "a resource that is too long, and wrong",
        { resource: "X".repeat(64) },
        [
          [
            "FieldValueInvalid",
            "spec.resource.resource",
            `Invalid value: "${"X".repeat(64)}": must be no more than 63 characters,${dns1035}`,
          ],
        ],
      ],
    ])("of %s", async (what, resource, expected) => {
      const answer = await api().send(
        "POST",
        MIGRATIONS,
        migration(what.replaceAll(/[^a-z]/g, ""), resource),
      );
      expect(answer.status).toBe(expected.length === 0 ? 201 : 422);
      if (expected.length === 0) return;
      const causes = causesOf(answer);
      expect(causes.map(([reason, field]) => [reason, field])).toEqual(
        expected.map(([reason, field]) => [reason, field]),
      );
      for (const [index, [, , begins]] of expected.entries())
        expect(causes[index]?.[2].slice(0, begins.length)).toBe(begins);
    });

    test("a name is that of a host", async () => {
      const answer = await api().send("POST", MIGRATIONS, migration("No_Name"));
      expect([answer.status, causesOf(answer).map(([, field]) => field)]).toEqual([422, ["metadata.name"]]);
    });

    // upstream: validation_test.go#TestValidateStorageVersionMigrationUpdate
    test("what is migrated cannot be changed; labels can, and an update names its version", async () => {
      const given = { ...migration("fixed"), status: { resourceVersion: "5" } };
      const { body: made } = await api().send("POST", MIGRATIONS, given);
      expect([made.status ?? {}, made.metadata.generation]).toEqual([{}, undefined]);
      const labels = { a: "b" };
      const labelled = await api().send("PUT", `${MIGRATIONS}/fixed`, {
        ...made,
        metadata: { ...made.metadata, labels },
        status: { resourceVersion: "5" },
      });
      expect([labelled.status, labelled.body.metadata.labels, labelled.body.status ?? {}]).toEqual([
        200,
        labels,
        {},
      ]);
      const changed = { ...labelled.body, spec: { resource: { resource: "pods" } } };
      const refused = await api().send("PUT", `${MIGRATIONS}/fixed`, changed);
      expect([refused.status, causesOf(refused).map(([, field]) => field)]).toEqual([422, ["spec"]]);
      const wrong = { ...labelled.body, spec: { resource: { group: "apps" } } };
      const both = await api().send("PUT", `${MIGRATIONS}/fixed`, wrong);
      expect(causesOf(both).map(([, field]) => field)).toEqual(["spec.resource.resource", "spec"]);
      const unversioned = await api().send("PUT", `${MIGRATIONS}/fixed`, migration("fixed"));
      expect([unversioned.status, causesOf(unversioned).map(([, field]) => field)]).toEqual([
        422,
        ["metadata.resourceVersion"],
      ]);
      expect((await api().send("PUT", `${MIGRATIONS}/unmade`, migration("unmade"))).status).toBe(404);
    });

    const RUNNING = condition("Running");
    const SUCCEEDED = condition("Succeeded");
    const FAILED = condition("Failed");
    // upstream: validation_test.go#TestValidateStorageVersionMigrationStatusUpdate
    test.each<[string, object | undefined, object, readonly string[]]>([
      ["a version at first", undefined, { resourceVersion: "123", conditions: [RUNNING] }, []],
      [
        "success",
        { resourceVersion: "123" },
        { resourceVersion: "123", conditions: [RUNNING, SUCCEEDED] },
        [],
      ],
      ["failure", { resourceVersion: "123" }, { resourceVersion: "123", conditions: [RUNNING, FAILED] }, []],
      ["success that stays", { conditions: [SUCCEEDED] }, { conditions: [SUCCEEDED, RUNNING] }, []],
      ["failure that stays", { conditions: [FAILED] }, { conditions: [FAILED, RUNNING] }, []],
      ["another version", { resourceVersion: "123" }, { resourceVersion: "124" }, ["status.resourceVersion"]],
      ["no version any more", { resourceVersion: "123" }, {}, ["status.resourceVersion"]],
      ["a version that is none", undefined, { resourceVersion: "abc" }, ["status.resourceVersion"]],
      ["the version nought", undefined, { resourceVersion: "0" }, ["status.resourceVersion"]],
      ["a version with a nought", undefined, { resourceVersion: "01" }, ["status.resourceVersion"]],
      ["both ends", undefined, { conditions: [SUCCEEDED, FAILED] }, ["status.conditions"]],
      [
        "success that is taken back",
        { conditions: [SUCCEEDED] },
        { conditions: [condition("Succeeded", "False")] },
        ["status.conditions"],
      ],
      ["success that is gone", { conditions: [SUCCEEDED] }, {}, ["status.conditions"]],
      [
        "failure that is taken back",
        { conditions: [FAILED] },
        { conditions: [condition("Failed", "Unknown")] },
        ["status.conditions"],
      ],
      [
        "one end in place of the other",
        { conditions: [FAILED] },
        { conditions: [SUCCEEDED] },
        ["status.conditions"],
      ],
      [
        "conditions that are none",
        undefined,
        { conditions: [condition("a b", "Yes", { reason: "", lastTransitionTime: null })] },
        [
          "status.conditions[0].type",
          "status.conditions[0].status",
          "status.conditions[0].lastTransitionTime",
          "status.conditions[0].reason",
        ],
      ],
    ])("a status: %s", async (what, before, after, fields) => {
      const name = what.replaceAll(" ", "-");
      const { body: made } = await api().send("POST", MIGRATIONS, migration(name));
      const put = async (object: Body, status: object): Promise<Answer> =>
        api().send("PUT", `${MIGRATIONS}/${name}/status`, {
          ...object,
          metadata: { ...object.metadata, labels: { mine: "no" } },
          spec: { resource: { resource: "pods" } },
          status,
        });
      const first = before === undefined ? made : (await put(made, before)).body;
      const answer = await put(first, after);
      if (fields.length > 0) {
        expect([answer.status, causesOf(answer).map(([, field]) => field)]).toEqual([422, fields]);
        return;
      }
      expect([answer.status, answer.body.status]).toEqual([200, after]);
      expect(answer.body.spec).toEqual(made.spec);
      expect(answer.body.metadata.labels).toBeUndefined();
    });

    test("a table tells how far they are", async () => {
      const name = "shown";
      const { body } = await api().send("POST", MIGRATIONS, migration(name));
      const cells = async (): Promise<unknown> =>
        tableOf(await api().get(`${MIGRATIONS}/${name}`, TABLE)).rows[0]?.cells;
      expect(await cells()).toEqual([name, "deployments.apps", "Unknown"]);
      const status = { conditions: [condition("Succeeded"), condition("Running"), condition("Other")] };
      await api().send("PUT", `${MIGRATIONS}/${name}/status`, { ...body, status });
      const table = tableOf(await api().get(`${MIGRATIONS}/${name}`, TABLE));
      expect(table.rows[0]?.cells).toEqual([name, "deployments.apps", "Running"]);
      expect(table.columnDefinitions.map((column) => `${column.name} ${column.format}`)).toEqual([
        "Name ",
        "Resource ",
        "Status ",
      ]);
      await api().send("POST", MIGRATIONS, migration("shown-core", { resource: "pods" }));
      expect(tableOf(await api().get(`${MIGRATIONS}/shown-core`, TABLE)).rows[0]?.cells[1]).toBe("pods");
    });

    describe("what is stored in an older version", () => {
      const group = "versions.example.com";
      const objects = (version: string): string => `/apis/${group}/${version}/things`;
      const versions = (storage: string): object[] =>
        ["v1", "v2"].map((name) => ({
          name,
          served: true,
          storage: name === storage,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        }));
      const noop = ({ metadata: { uid, resourceVersion } }: Body, version: string): object => ({
        apiVersion: `${group}/${version}`,
        kind: "Thing",
        metadata: { uid, resourceVersion },
      });
      const apply = async (name: string, body: object, version = "v2"): Promise<Answer> =>
        api().apply(`${objects(version)}/${name}`, "migrator", body);
      let old: Body;

      beforeAll(async () => {
        const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
        const spec = { group, names, scope: "Cluster", versions: versions("v1") };
        await api().send("POST", DEFINITIONS, { metadata: { name: `things.${group}` }, spec });
        const thing = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "old" }, a: 1 };
        await until("things can be made", async () => {
          const made = await api().send("POST", objects("v1"), thing);
          if (made.status === 201) old = made.body;
          return made.status === 201;
        });
        const found = (await api().get(`${DEFINITIONS}/things.${group}`)).body;
        await api().send("PUT", `${DEFINITIONS}/things.${group}`, {
          ...found,
          spec: { ...found.spec, versions: versions("v2") },
        });
        // The server may store in the former version for a moment.
        await until("objects are stored in the new version", async () => {
          const probe = { apiVersion: `${group}/v2`, kind: "Thing", metadata: { name: "probe" }, b: 1 };
          const made = (await api().send("POST", objects("v2"), probe)).body;
          const again = (await apply("probe", noop(made, "v2"))).body;
          await api().send("DELETE", `${objects("v2")}/probe`);
          if (again.metadata.resourceVersion !== made.metadata.resourceVersion) return false;
          const shown = (await api().get(`${DEFINITIONS}/things.${group}`)).body.status;
          return (shown as { storedVersions: string[] }).storedVersions.includes("v2");
        });
      });

      test("is written anew by whoever applies nothing to it, once", async () => {
        let first: Answer | undefined;
        await until("it is stored in the new version", async () => {
          const found = (await api().get(`${objects("v2")}/old`)).body;
          first = await apply("old", noop(found, "v2"));
          return first.body.metadata.resourceVersion !== old.metadata.resourceVersion;
        });
        expect(first?.status).toBe(200);
        const now = first?.body as Body;
        expect(now["a"]).toBe(1);
        expect(now.metadata.managedFields).toEqual(
          old.metadata.managedFields?.map((entry) => ({ ...entry, apiVersion: `${group}/v1` })),
        );
        const second = await apply("old", noop(now, "v2"));
        expect([second.status, second.body.metadata.resourceVersion]).toEqual([
          200,
          now.metadata.resourceVersion,
        ]);
      });

      test("what is gone, changed or replaced meanwhile is a conflict", async () => {
        const thing = { apiVersion: `${group}/v2`, kind: "Thing", metadata: { name: "moving" } };
        const { body } = await api().send("POST", objects("v2"), thing);
        const current = await api().patch(`${objects("v2")}/moving`, "merge", { b: 2 });
        expect((await apply("moving", noop(body, "v2"))).status).toBe(409);
        await api().send("DELETE", `${objects("v2")}/moving`);
        const gone = await apply("moving", noop(current.body, "v2"));
        expect([gone.status, gone.body.reason]).toEqual([409, "Conflict"]);
        await api().send("POST", objects("v2"), thing);
        expect((await apply("moving", noop(current.body, "v2"))).status).toBe(409);
      });

      test("a definition is told that a migration runs, and that nothing is left of older versions", async () => {
        const path = `${DEFINITIONS}/things.${group}`;
        const { body } = await api().get(path);
        const { resourceVersion, generation } = body.metadata;
        const running = {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: `things.${group}`, resourceVersion },
          status: {
            conditions: [condition("StorageMigrating", "True", { observedGeneration: generation })],
            storedVersions: ["v2"],
          },
        };
        const answer = await api().apply(`${path}/status`, "migrator", running, true);
        expect(answer.status).toBe(200);
        const status = answer.body.status as {
          storedVersions: unknown;
          conditions: readonly { type: string }[];
        };
        expect(status.storedVersions).toEqual(["v2"]);
        expect(status.conditions.map(({ type }) => type)).toEqual([
          "NamesAccepted",
          "Established",
          "StorageMigrating",
        ]);
        expect(answer.body.metadata.generation).toBe(generation);
        expect((await api().apply(`${path}/status`, "migrator", running, true)).status).toBe(409);
      });
    });
  },
  ["--feature-gates=StorageVersionMigrator=true", "--runtime-config=storagemigration.k8s.io/v1beta1=true"],
);

const report = (apiServerID: string, encodingVersion: string, changes: object = {}): object => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
  ...changes,
});

/** What the server said that was asked first. */
const refusals = new Map<string, readonly Cause[]>();

describeApi(
  "storage versions",
  (api) => {
    /** In the same words by every server. */
    const refusedAlike = (what: string, answer: Answer, fields: readonly string[]): void => {
      const causes = causesOf(answer);
      expect(causes.map(([, field]) => field)).toEqual(fields);
      expect(causes).toEqual(refusals.get(what) ?? causes);
      refusals.set(what, causes);
    };

    const made = async (name: string, given: object = {}): Promise<Answer> =>
      api().send("POST", VERSIONS, { metadata: { name }, spec: {}, ...given });

    // upstream: pkg/apis/apiserverinternal/validation/validation_test.go#TestValidateStorageVersionName
    test.each<[string, boolean]>([
      ["pods", false],
      ["core.things", true],
      ["authentication.k8s.io.tokenreviews", true],
      [`${"x".repeat(253)}.tokenreviews`, true],
      [`${"x".repeat(254)}.tokenreviews`, false],
      [`authentication.k8s.io.${"x".repeat(63)}`, true],
      [`authentication.k8s.io.${"x".repeat(64)}`, false],
      ["core.Pods", false],
      ["Core.pods", false],
    ])("the name %s is taken: %s", async (name, isTaken) => {
      const answer = await made(name);
      expect(answer.status).toBe(isTaken ? 201 : 422);
      if (!isTaken) refusedAlike(name, answer, ["metadata.name"]);
    });

    test("a status is no part of a new one", async () => {
      const status = { commonEncodingVersion: "v9" };
      expect((await made("core.ignored", { status })).body.status ?? {}).toEqual({});
      const { body } = await api().get(`${VERSIONS}/core.ignored`);
      const kept = await api().send("PUT", `${VERSIONS}/core.ignored`, { ...body, status });
      expect([kept.status, kept.body.status ?? {}]).toEqual([200, {}]);
      const unversioned = { metadata: { name: "core.ignored" }, spec: {} };
      const refused = await api().send("PUT", `${VERSIONS}/core.ignored`, unversioned);
      expect([refused.status, causesOf(refused).map(([, field]) => field)]).toEqual([
        422,
        ["metadata.resourceVersion"],
      ]);
    });

    // upstream: TestValidateServerStorageVersion, TestValidateStorageVersionStatus, TestValidateCommonVersion,
    // TestValidateStorageVersionCondition
    test.each<[string, object, readonly string[]]>([
      ["nothing", {}, []],
      ["one server", { storageVersions: [report("a", "v1")], commonEncodingVersion: "v1" }, []],
      [
        "one server, no common version",
        { storageVersions: [report("a", "v1")] },
        ["status.commonEncodingVersion"],
      ],
      [
        "two that agree",
        { storageVersions: [report("a", "v1"), report("b", "v1")], commonEncodingVersion: "v1" },
        [],
      ],
      ["two that differ", { storageVersions: [report("a", "v1"), report("b", "v2")] }, []],
      [
        "two that differ, and one of theirs",
        { storageVersions: [report("a", "v1"), report("b", "v2")], commonEncodingVersion: "v1" },
        ["status.commonEncodingVersion"],
      ],
      ["a common version of nobody", { commonEncodingVersion: "v1" }, ["status.commonEncodingVersion"]],
      [
        "another common version",
        { storageVersions: [report("a", "v1")], commonEncodingVersion: "v2" },
        ["status.commonEncodingVersion"],
      ],
      [
        "a server twice",
        { storageVersions: [report("a", "v1"), report("a", "v1")], commonEncodingVersion: "v1" },
        ["status.storageVersions[1].apiServerID"],
      ],
      [
        "a server without a name",
        { storageVersions: [report("", "v1")], commonEncodingVersion: "v1" },
        ["status.storageVersions[0].apiServerID"],
      ],
      [
        "a server of a wrong name",
        { storageVersions: [report("-fea", "v1")], commonEncodingVersion: "v1" },
        ["status.storageVersions[0].apiServerID"],
      ],
      [
        "a group in a version",
        {
          storageVersions: [
            report("fea", "fea/v1alpha1", { decodableVersions: ["v1alpha1", "fea/v1alpha1"] }),
          ],
          commonEncodingVersion: "fea/v1alpha1",
        },
        [],
      ],
      [
        "three parts in a version",
        {
          storageVersions: [report("fea", "a/b/c", { decodableVersions: ["v1alpha1", "a/b/c"] })],
          commonEncodingVersion: "a/b/c",
        },
        ["status.storageVersions[0].encodingVersion", "status.storageVersions[0].decodableVersions[1]"],
      ],
      [
        "an empty group",
        { storageVersions: [report("fea", "/v1beta1")], commonEncodingVersion: "/v1beta1" },
        ["status.storageVersions[0].encodingVersion", "status.storageVersions[0].decodableVersions[0]"],
      ],
      [
        "an empty version",
        { storageVersions: [report("fea", "fea/")], commonEncodingVersion: "fea/" },
        ["status.storageVersions[0].encodingVersion", "status.storageVersions[0].decodableVersions[0]"],
      ],
      [
        "a version that is none",
        { storageVersions: [report("fea", "v_1")], commonEncodingVersion: "v_1" },
        ["status.storageVersions[0].encodingVersion", "status.storageVersions[0].decodableVersions[0]"],
      ],
      [
        "a group that is none",
        { storageVersions: [report("fea", "F/v1")], commonEncodingVersion: "F/v1" },
        ["status.storageVersions[0].encodingVersion", "status.storageVersions[0].decodableVersions[0]"],
      ],
      [
        "an encoding that cannot be decoded",
        {
          storageVersions: [report("fea", "v1", { decodableVersions: ["v2", "not/a/version"] })],
          commonEncodingVersion: "v1",
        },
        ["status.storageVersions[0].decodableVersions[1]", "status.storageVersions[0].decodableVersions"],
      ],
      [
        "no decoding",
        { storageVersions: [report("fea", "v1", { decodableVersions: [] })], commonEncodingVersion: "v1" },
        ["status.storageVersions[0].decodableVersions"],
      ],
      [
        "what is served and decoded",
        {
          storageVersions: [report("fea", "v1", { decodableVersions: ["v1", "v2"], servedVersions: ["v2"] })],
          commonEncodingVersion: "v1",
        },
        [],
      ],
      [
        "what is served and not decoded",
        {
          storageVersions: [report("fea", "v1", { servedVersions: ["v1", "foo/v3", "a b"] })],
          commonEncodingVersion: "v1",
        },
        [
          "status.storageVersions[0].servedVersions[1]",
          "status.storageVersions[0].servedVersions[2]",
          "status.storageVersions[0].servedVersions[2]",
        ],
      ],
      ["a condition", { conditions: [condition("AllEncodingVersionsEqual")] }, []],
      [
        "a condition twice",
        { conditions: [condition("a"), condition("b"), condition("a")] },
        ["status[2].type"],
      ],
      [
        "a condition that says nothing",
        { conditions: [{ type: "a b", status: "", reason: "", message: "" }] },
        ["status[0].type", "status[0].status", "status[0].status", "status[0].reason", "status[0].message"],
      ],
    ])("a status: %s", async (what, status, fields) => {
      const name = `core.${what.replaceAll(/[^a-z]/g, "")}`;
      const { body } = await made(name);
      const answer = await api().send("PUT", `${VERSIONS}/${name}/status`, {
        ...body,
        metadata: { ...body.metadata, labels: { mine: "no" } },
        status,
      });
      expect(answer.status).toBe(fields.length === 0 ? 200 : 422);
      if (fields.length > 0) return refusedAlike(what, answer, fields);
      expect(answer.body.status ?? {}).toEqual(status);
      expect(answer.body.metadata.labels).toBeUndefined();
    });

    test("a table tells who stores what", async () => {
      const { body } = await made("core.shown");
      const cells = async (): Promise<readonly unknown[]> =>
        tableOf(await api().get(`${VERSIONS}/core.shown`, TABLE)).rows[0]?.cells.slice(0, 3) ?? [];
      expect(await cells()).toEqual(["core.shown", "<unset>", "<unset>"]);
      const status = {
        storageVersions: ["a", "b", "c", "d", "e"].map((server) => report(server, "v1")),
        commonEncodingVersion: "v1",
      };
      await api().send("PUT", `${VERSIONS}/core.shown/status`, { ...body, status });
      expect(await cells()).toEqual(["core.shown", "v1", "a=v1,b=v1,c=v1 + 2 more..."]);
      const table = tableOf(await api().get(`${VERSIONS}/core.shown`, TABLE));
      expect(table.columnDefinitions.map((column) => `${column.name} ${column.format}`)).toEqual([
        "Name name",
        "CommonEncodingVersion ",
        "StorageVersions ",
        "Age ",
      ]);
    });
  },
  ["--feature-gates=StorageVersionAPI=true", "--runtime-config=internal.apiserver.k8s.io/v1alpha1=true"],
);
