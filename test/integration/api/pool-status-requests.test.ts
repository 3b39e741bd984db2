import { expect, test } from "vitest";
import { causesOf, columnsOf, FLAGS, IMMUTABLE, rowsOf, subdomain, TABLE } from "./alpha-answers.ts";
import { describeApi } from "./api-client.ts";

type Json = Readonly<Record<string, unknown>>;

const requests = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";

describeApi(
  "a request for the status of pools of devices",
  (api) => {
    test.each<[string, Json, readonly string[]]>([
      ["without a driver", {}, ["spec.driver: Required value"]],
      [
        "of a driver of no name",
        { driver: "a_b" },
        ['spec.driver: Invalid value: "a_b": an RFC 1123 subdomain'],
      ],
      [
        "with a limit of nothing",
        { driver: "D.example.com", limit: 0 },
        ["spec.limit: Invalid value: 0: must be greater than or equal to 1"],
      ],
      [
        "with a limit of too many",
        { driver: "d", limit: 1_001 },
        ["spec.limit: Invalid value: 1001: must be less than or equal to 1000"],
      ],
      [
        "of a pool of no name",
        { driver: "d", poolName: "a//B" },
        [
          'spec.poolName: Invalid value: "B": segment 2: a lowercase RFC 1123 subdomain',
          'spec.poolName: Invalid value: "a//B": segment 1: must not be empty',
        ],
      ],
      [
        "of a pool whose name is empty",
        { driver: "d", poolName: "" },
        ['spec.poolName: Invalid value: "": segment 0: must not be empty'],
      ],
      [
        "of a pool whose name is too long",
        { driver: "d", poolName: "a/".repeat(130) + "a" },
        ["spec.poolName: Too long: may not be more than 253 bytes"],
      ],
    ])("%s is refused", async (_, spec, causes) => {
      const { status, body } = await api().send("POST", requests, { metadata: { name: "bad" }, spec });
      expect([status, causesOf(body)]).toEqual([422, causes]);
    });

    test("gets a limit, no status, and does not change", async () => {
      const made = await api().send("POST", requests, {
        metadata: { name: "fixed" },
        spec: { driver: "d.example.com", poolName: "a/b" },
        status: { poolCount: 1 },
      });
      expect([made.status, made.body.spec, made.body.status, made.body.metadata.generation]).toEqual([
        201,
        { driver: "d.example.com", poolName: "a/b", limit: 100 },
        undefined,
        undefined,
      ]);
      const path = `${requests}/fixed`;
      const changed = await api().patch(path, "merge", { spec: { limit: 5 } });
      expect([changed.status, causesOf(changed.body)]).toEqual([422, [`spec: ${IMMUTABLE}`]]);
      const labelled = await api().patch(path, "merge", {
        metadata: { labels: { a: "b" } },
        status: { poolCount: 9 },
      });
      expect([labelled.status, labelled.body.status]).toEqual([200, undefined]);
      const { resourceVersion: _, ...metadata } = made.body.metadata;
      const blind = await api().send("PUT", path, { ...made.body, metadata });
      expect([blind.status, causesOf(blind.body)]).toEqual([
        422,
        ["metadata.resourceVersion: Invalid value: 0: must be specified for an update"],
      ]);
    });

    const pool = { driver: "d", poolName: "p", generation: 1 };
    test.each<[string, Json, readonly string[]]>([
      ["no count", {}, ["status.poolCount: Required value"]],
      [
        "a count below nothing",
        { poolCount: -1 },
        ["status.poolCount: Invalid value: -1: must be greater than or equal to 0"],
      ],
      [
        "pools of nothing",
        { poolCount: 1, pools: [{}] },
        ["driver", "generation", "poolName"].map((key) => `status.pools[0].${key}: Required value`),
      ],
      [
        "counts that cannot be",
        {
          poolCount: 1,
          pools: [
            {
              ...pool,
              generation: -1,
              resourceSliceCount: 0,
              totalDevices: -1,
              allocatedDevices: -1,
              availableDevices: -1,
              unavailableDevices: -1,
              nodeName: "A",
              validationError: "x".repeat(257),
            },
          ],
        },
        [
          "allocatedDevices: Invalid value: -1: must be greater than or equal to 0",
          "availableDevices: Invalid value: -1: must be greater than or equal to 0",
          "generation: Invalid value: -1: must be greater than or equal to 0",
          `nodeName: Invalid value: "A": ${subdomain}`,
          "resourceSliceCount: Invalid value: 0: must be greater than or equal to 1",
          "totalDevices: Invalid value: -1: must be greater than or equal to 0",
          "unavailableDevices: Invalid value: -1: must be greater than or equal to 0",
          "validationError: Too long: may not be more than 256 bytes",
        ].map((cause) => `status.pools[0].${cause}`),
      ],
      [
        "too many pools",
        { poolCount: 1, pools: Array.from({ length: 1_001 }, () => pool) },
        ["status.pools: Too many: 1001: must have at most 1000 items"],
      ],
      [
        "a condition that says nothing",
        {
          poolCount: 1,
          conditions: [{ type: "Complete", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        },
        ["status.conditions[0].reason: Required value"],
      ],
    ])("is not answered with %s", async (_, status, causes) => {
      const name = `answer-${await api().namespace()}`;
      await api().send("POST", requests, { metadata: { name }, spec: { driver: "d" } });
      const answer = await api().patch(`${requests}/${name}/status`, "merge", { status });
      expect([answer.status, causesOf(answer.body)]).toEqual([422, causes]);
    });

    test("is answered once, and its row says so", async () => {
      const spec = { driver: "rows.example.com" };
      for (const name of ["x-pending", "x-some", "x-whole", "x-failed"])
        await api().send("POST", requests, { metadata: { name }, spec });
      const condition = (type: string): Json => ({
        type,
        status: "True",
        reason: "R",
        message: "",
        lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ""),
      });
      const counted = {
        ...pool,
        totalDevices: 4,
        allocatedDevices: 1,
        availableDevices: 2,
        unavailableDevices: 1,
        resourceSliceCount: 1,
      };
      const answers: Readonly<Record<string, Json>> = {
        "x-some": {
          poolCount: 3,
          pools: [counted, { ...pool, validationError: "no" }],
          conditions: [condition("Complete")],
        },
        "x-whole": { poolCount: 1, pools: [counted], conditions: [condition("Complete")] },
        "x-failed": { poolCount: 0, conditions: [condition("Failed")] },
      };
      for (const [name, status] of Object.entries(answers)) {
        const path = `${requests}/${name}/status`;
        const answer = await api().patch(path, "merge", {
          status,
          spec: { limit: 7 },
          metadata: { labels: { a: "b" } },
        });
        expect([answer.status, answer.body.spec, answer.body.metadata.labels]).toEqual([
          200,
          { ...spec, limit: 100 },
          undefined,
        ]);
        const again = await api().patch(path, "merge", { status: { poolCount: 7 } });
        expect([again.status, again.body.message]).toEqual([
          422,
          expect.stringMatching(/status: Invalid value: .*field is immutable$/s),
        ]);
      }
      const { body } = await api().get(requests, TABLE);
      const rows = (rowsOf(body) as string[][]).filter(([name]) => name?.startsWith("x-"));
      expect(columnsOf(body)).toEqual([
        "Name string name",
        ...["Driver", "Total", "Available", "Allocated", "Unavailable", "Errors"].map(
          (name) => `${name} string `,
        ),
        "Pools integer ",
        "Status string ",
        "Completed string ",
      ]);
      const none = ["-", "-", "-", "-", "-"];
      expect(rows.map((row) => row.map((cell) => (/^\d+s$/.test(cell) ? "now" : cell)))).toEqual([
        ["x-failed", spec.driver, ...none, 0, "Failed", "<none>"],
        ["x-pending", spec.driver, ...none, 0, "Pending", "<none>"],
        ["x-some", spec.driver, "4", "2", "1", "1", "1", 3, "Complete (2/3 pools)", "now"],
        ["x-whole", spec.driver, "4", "2", "1", "1", "0", 1, "Complete", "now"],
      ]);
    });
  },
  FLAGS,
);
