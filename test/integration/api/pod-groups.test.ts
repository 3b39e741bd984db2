import { describe, expect, test } from "vitest";
import { causesOf, columnsOf, FLAGS, IMMUTABLE, label, rowsOf, subdomain, TABLE } from "./alpha-answers.ts";
import { type Body, describeApi } from "./api-client.ts";

type Json = Readonly<Record<string, unknown>>;

const requests = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
const groups = (namespace: string): string =>
  `/apis/scheduling.k8s.io/v1alpha2/namespaces/${namespace}/podgroups`;
const workloads = (namespace: string): string =>
  `/apis/scheduling.k8s.io/v1alpha2/namespaces/${namespace}/workloads`;
const FINALIZER = "scheduling.k8s.io/podgroup-protection";
const noUnion = 'Invalid value: "": must specify one of: `basic`, `gang`';

describeApi(
  "groups of pods",
  (api) => {
    const basic = { schedulingPolicy: { basic: {} } };
    const written = { ...basic, disruptionMode: "Pod", podGroupTemplateRef: null };
    const claimsPath = "spec.resourceClaims";
    const sources = "`resourceClaimName`, `resourceClaimTemplateName`";

    describe("a group of pods", () => {
      test.each<[string, Json, readonly string[]]>([
        ["without a policy", {}, [`spec.schedulingPolicy: ${noUnion}`]],
        [
          "with two policies",
          { schedulingPolicy: { basic: {}, gang: { minCount: 1 } } },
          [
            'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
          ],
        ],
        [
          "of nobody",
          { schedulingPolicy: { gang: {} } },
          ["spec.schedulingPolicy.gang.minCount: Required value"],
        ],
        [
          "of fewer than nobody",
          { schedulingPolicy: { gang: { minCount: -1 } } },
          ["spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1"],
        ],
        [
          "of a template of nothing",
          { ...basic, podGroupTemplateRef: {} },
          ['spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`'],
        ],
        [
          "of a template without names",
          { ...basic, podGroupTemplateRef: { workload: {} } },
          ["podGroupTemplateName", "workloadName"].map(
            (key) => `spec.podGroupTemplateRef.workload.${key}: Required value`,
          ),
        ],
        [
          "of a template of no name",
          { ...basic, podGroupTemplateRef: { workload: { workloadName: "A", podGroupTemplateName: "B" } } },
          [
            `spec.podGroupTemplateRef.workload.podGroupTemplateName: Invalid value: "B": ${label}`,
            `spec.podGroupTemplateRef.workload.workloadName: Invalid value: "A": ${subdomain}`,
          ],
        ],
        [
          "with claims of nothing",
          {
            ...basic,
            resourceClaims: [
              { name: "" },
              { name: "B", resourceClaimName: "C", resourceClaimTemplateName: "D" },
            ],
          },
          [
            `${claimsPath}[0].name: Required value`,
            `${claimsPath}[0]: Invalid value: "": must specify one of: ${sources}`,
            `${claimsPath}[1].name: Invalid value: "B": ${label}`,
            `${claimsPath}[1].resourceClaimName: Invalid value: "C": ${subdomain}`,
            `${claimsPath}[1].resourceClaimTemplateName: Invalid value: "D": ${subdomain}`,
            `${claimsPath}[1]: Invalid value: "{resourceClaimName, resourceClaimTemplateName}": must specify exactly one of: ${sources}`,
          ],
        ],
        [
          "with too many claims",
          {
            ...basic,
            resourceClaims: Array.from({ length: 5 }, (_, at) => ({
              name: `c-${at}`,
              resourceClaimName: "c",
            })),
          },
          [`${claimsPath}: Too many: 5: must have at most 4 items`],
        ],
      ])("%s is refused", async (_, spec, causes) => {
        const namespace = await api().namespace();
        const { status, body } = await api().send("POST", groups(namespace), {
          metadata: { name: "bad" },
          spec,
        });
        expect([status, causesOf(body)]).toEqual([422, causes]);
      });

      test("with a claim twice is refused", async () => {
        const claim = { name: "c", resourceClaimName: "c" };
        const path = groups(await api().namespace());
        const { status, body } = await api().send("POST", path, {
          metadata: { name: "bad" },
          spec: { ...basic, resourceClaims: [claim, claim] },
        });
        expect([status, body.message]).toEqual([
          422,
          expect.stringContaining("spec.resourceClaims[1]: Duplicate value: "),
        ]);
      });

      test("gets the finalizer, loses what is off, and does not change", async () => {
        const path = groups(await api().namespace());
        const made = await api().send("POST", path, {
          metadata: { name: "group" },
          spec: {
            ...basic,
            priority: 5,
            priorityClassName: "p",
            disruptionMode: "Pod",
            schedulingConstraints: {},
          },
          status: { conditions: [] },
        });
        expect([
          made.status,
          made.body.spec,
          made.body.metadata.finalizers,
          made.body.metadata.generation,
          made.body.status,
        ]).toEqual([201, written, [FINALIZER], undefined, {}]);
        const changed = await api().patch(`${path}/group`, "merge", {
          spec: {
            schedulingPolicy: { basic: null, gang: { minCount: 2 } },
            resourceClaims: [{ name: "c", resourceClaimName: "c" }],
            podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: "t" } },
          },
        });
        expect([changed.status, causesOf(changed.body)]).toEqual([
          422,
          ["podGroupTemplateRef", "resourceClaims", "schedulingPolicy"].map(
            (key) => `spec.${key}: ${IMMUTABLE}`,
          ),
        ]);
        const bare = await api().patch(`${path}/group`, "merge", {
          metadata: { finalizers: null },
          spec: { priority: 7 },
        });
        expect([bare.status, bare.body.metadata.finalizers, bare.body.spec]).toEqual([
          200,
          undefined,
          written,
        ]);
      });

      test("has a status about its claims, and a row", async () => {
        const path = groups(await api().namespace());
        const spec = {
          schedulingPolicy: { gang: { minCount: 3 } },
          resourceClaims: [{ name: "c", resourceClaimTemplateName: "t" }],
        };
        await api().send("POST", path, { metadata: { name: "b-group" }, spec });
        await api().send("POST", path, { metadata: { name: "a-group" }, spec: basic });
        const write = async (status: Json) => api().patch(`${path}/b-group/status`, "merge", { status });
        const refused = await write({ resourceClaimStatuses: [{ name: "x", resourceClaimName: "A" }] });
        expect([refused.status, causesOf(refused.body)]).toEqual([
          422,
          [
            `status.resourceClaimStatuses[0].name: Invalid value: "x": must match the name of an entry in \`spec.resourceClaims\``,
            `status.resourceClaimStatuses[0].resourceClaimName: Invalid value: "A": ${subdomain}`,
          ],
        ]);
        const cell = async (): Promise<unknown> => {
          const { body } = await api().get(path, TABLE);
          expect(columnsOf(body)).toEqual([
            "Name string name",
            "Policy string ",
            "Workload string ",
            "Status string ",
            "Age string ",
          ]);
          return (rowsOf(body) as unknown[][]).map((row) => row.slice(0, 4).join(" "));
        };
        const condition = (type: string, status: string): Json => ({
          type,
          status,
          reason: "Preempted",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        });
        expect(await cell()).toEqual(["a-group Basic <none> Pending", "b-group Gang <none> Pending"]);
        const told = { resourceClaimStatuses: [{ name: "c", resourceClaimName: "made" }] };
        const first = await write({ ...told, conditions: [condition("PodGroupScheduled", "False")] });
        expect([first.status, first.body.status]).toMatchObject([200, told]);
        expect(await cell()).toEqual(["a-group Basic <none> Pending", "b-group Gang <none> Unschedulable"]);
        await write({ conditions: [condition("PodGroupScheduled", "True")] });
        expect(await cell()).toEqual(["a-group Basic <none> Pending", "b-group Gang <none> Scheduled"]);
        await write({
          conditions: [condition("PodGroupScheduled", "True"), condition("DisruptionTarget", "True")],
        });
        expect(await cell()).toEqual(["a-group Basic <none> Pending", "b-group Gang <none> Preempted"]);
      });

      test("of a template needs a Workload that has it", async () => {
        const namespace = await api().namespace();
        const create = async (workloadName: string, podGroupTemplateName: string): Promise<unknown> => {
          const reference = { podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } } };
          const { status, body } = await api().send("POST", groups(namespace), {
            metadata: { name: "of" },
            spec: { ...basic, ...reference },
          });
          return [status, status === 201 ? "" : body.message];
        };
        const rejected = (why: string): unknown => [
          403,
          `podgroups.scheduling.k8s.io "of" is forbidden: PodGroup rejected: ${why}`,
        ];
        expect(await create("w", "t")).toEqual(rejected('Workload "w" not found'));
        const path = workloads(namespace);
        const metadata = { name: "w", finalizers: ["example.com/held"] };
        await api().send("POST", path, { metadata, spec: { podGroupTemplates: [{ name: "t", ...basic }] } });
        // The real server looks for Workloads in a cache, which may lag behind.
        await expect
          .poll(async () => create("w", "x"))
          .toEqual(rejected('PodGroupTemplate "x" not found in Workload "w"'));
        expect(await create("w", "t")).toEqual([201, ""]);
        const { body } = await api().get(groups(namespace), TABLE);
        expect((rowsOf(body) as unknown[][])[0]?.slice(0, 4)).toEqual(["of", "Basic", "w", "Pending"]);
        await api().send("DELETE", `${path}/w`);
        await expect.poll(async () => create("w", "t")).toEqual(rejected('Workload "w" is being deleted'));
        await api().patch(`${path}/w`, "merge", { metadata: { finalizers: null } });
      });
    });

    test.each<[string, Json, readonly string[]]>([
      ["without templates", {}, ["spec.podGroupTemplates: Required value"]],
      [
        "with a template of nothing",
        { podGroupTemplates: [{}] },
        [
          "spec.podGroupTemplates[0].name: Required value",
          `spec.podGroupTemplates[0].schedulingPolicy: ${noUnion}`,
        ],
      ],
      [
        "with too many templates",
        { podGroupTemplates: Array.from({ length: 9 }, (_, at) => ({ name: `t-${at}`, ...basic })) },
        ["spec.podGroupTemplates: Too many: 9: must have at most 8 items"],
      ],
      [
        "of an owner of no name",
        {
          controllerRef: { apiGroup: "A", kind: "", name: "a/b" },
          podGroupTemplates: [{ name: "t", ...basic }],
        },
        [
          `spec.controllerRef.apiGroup: Invalid value: "A": ${subdomain}`,
          "spec.controllerRef.kind: Required value",
          `spec.controllerRef.name: Invalid value: "a/b": may not contain '/'`,
        ],
      ],
    ])("a Workload %s is refused", async (_, spec, causes) => {
      const namespace = await api().namespace();
      const { status, body } = await api().send("POST", workloads(namespace), {
        metadata: { name: "bad" },
        spec,
      });
      expect([status, causesOf(body)]).toEqual([422, causes]);
    });

    test("a Workload does not change", async () => {
      const path = workloads(await api().namespace());
      await api().send("POST", path, {
        metadata: { name: "w" },
        spec: { podGroupTemplates: [{ name: "t", ...basic }] },
      });
      const { status, body } = await api().patch(`${path}/w`, "merge", {
        spec: { podGroupTemplates: [{ name: "x", ...basic }] },
      });
      expect([status, causesOf(body)]).toEqual([422, [`spec.podGroupTemplates: ${IMMUTABLE}`]]);
    });

    test("a pod names its group, by a name", async () => {
      const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
      const create = async (schedulingGroup: Json): Promise<Body> => {
        const spec = { containers: [{ name: "a", image: "a" }], schedulingGroup };
        return (await api().send("POST", path, { metadata: { generateName: "p-" }, spec })).body;
      };
      expect((await create({ podGroupName: "group" })).spec["schedulingGroup"]).toEqual({
        podGroupName: "group",
      });
      const at = "spec.schedulingGroup.podGroupName";
      expect(causesOf(await create({}))).toEqual([
        `${at}: Invalid value: null: must specify one of: \`podGroupName\``,
      ]);
      expect(causesOf(await create({ podGroupName: "A" }))).toEqual([
        `${at}: Invalid value: "A": ${subdomain}`,
      ]);
    });
  },
  FLAGS,
);

describeApi("kinds of features that are off, on a server as it is", (api) => {
  test.each([requests, groups("default"), workloads("default")])("%s is not there", async (path) => {
    expect((await api().get(path)).status).toBe(404);
  });

  test("a pod's group is taken, and not kept, wherever pods are described", async () => {
    const namespace = await api().namespace();
    const spec = { containers: [{ name: "a", image: "a" }], schedulingGroup: { podGroupName: "group" } };
    const made = await api().send("POST", `/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: "p" },
      spec,
    });
    expect([made.status, made.body.spec["schedulingGroup"]]).toEqual([201, undefined]);
    const template = { metadata: { labels: { a: "b" } }, spec };
    const deployment = await api().send("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    });
    expect([deployment.status, JSON.stringify(deployment.body.spec)]).toEqual([
      201,
      expect.not.stringContaining("schedulingGroup"),
    ]);
  });
});
