import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { policyStatusController } from "../../../controllers/validatingadmissionpolicystatus/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyStatus,
} from "../../../pkg/api/types/admissionregistration-v1.gen.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { TestSpace } from "../../harness/test-space.ts";

const definition = (type: string) => ({
  metadata: { name: "crontabs.apis.example.com" },
  spec: {
    group: "apis.example.com",
    scope: "Namespaced" as const,
    names: { plural: "crontabs", singular: "crontab", kind: "CronTab", listKind: "CronTabList" },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { cronSpec: { type: "string" }, replicas: { type } },
              },
            },
          },
        },
      },
    ],
  },
});

/** upstream: test/integration/apiserver/cel/typeresolution_test.go, pkg/controller/validatingadmissionpolicystatus/controller_test.go */
describe.each(accountClusterKinds)("types in policies on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(() => [policyStatusController({ workers: 5 })]);
    space = new TestSpace(cluster.client, "default");
  });
  afterAll(async () => cluster?.stop());

  const policies = () =>
    cluster.client.clientFor<ValidatingAdmissionPolicy>(resources.validatingAdmissionPolicies);

  async function create(
    name: string,
    [group, version, resource]: readonly [string, string, string],
    ...expressions: readonly string[]
  ): Promise<void> {
    await policies().create({
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [group], apiVersions: [version], operations: ["*"], resources: [resource] },
          ],
        },
        validations: expressions.map((expression) => ({ expression })),
      },
    });
  }

  async function checked(name: string, generation = 1): Promise<ValidatingAdmissionPolicyStatus> {
    const { status = {} } = await space.until(
      `${name} is checked`,
      async () => policies().get({ name }),
      (policy) => policy.status?.observedGeneration === generation,
    );
    return status;
  }

  const told = ({ typeChecking }: ValidatingAdmissionPolicyStatus): readonly string[] =>
    (typeChecking?.expressionWarnings ?? []).map(
      ({ fieldRef, warning }) => `${fieldRef} ${warning.split("\n")[0] ?? ""}`,
    );

  const deployments = ["apps", "v1", "deployments"] as const;
  const first = "spec.validations[0].expression apps/v1, Kind=Deployment: ERROR: <input>:1:";

  test("a policy that is right has an empty status", async () => {
    await create("right", deployments, "object.spec.replicas > 1");
    expect(await checked("right")).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test("a policy that is mended is checked again", async () => {
    await create("mended", deployments, "object.spec.replicas > '1' && object.spec.nonExisting == 1");
    const { typeChecking } = await checked("mended");
    expect(typeChecking?.expressionWarnings?.map(({ warning }) => warning)).toEqual([
      [
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
        " | object.spec.replicas > '1' && object.spec.nonExisting == 1",
        " | .....................^",
        "ERROR: <input>:1:42: undefined field 'nonExisting'",
        " | object.spec.replicas > '1' && object.spec.nonExisting == 1",
        " | .........................................^",
        "",
      ].join("\n"),
    ]);
    const validations = [{ expression: "object.spec.replicas > 1" }];
    await policies().patch({ name: "mended" }, { type: "merge", body: { spec: { validations } } });
    // Who applies no warnings any more gives up what holds them.
    expect(await checked("mended", 2)).toEqual({ observedGeneration: 2 });
  });

  test("lists, and what may be a number or a text", async () => {
    await create(
      "deep",
      deployments,
      "size(object.spec.template.spec.containers) > 0 && object.spec.template.spec.containers.all(c, c.ports.all(p, p.containerPort < 1024))",
      "type(object.spec.strategy.rollingUpdate.maxSurge) == int && object.spec.strategy.rollingUpdate.maxSurge > 1",
      "object.spec.strategy.rollingUpdate.maxSurge == '10%'",
    );
    expect(told(await checked("deep"))).toEqual([]);
    await create("shallow", deployments, "object.spec.template.spec.containers.all(c, c.port == 1)");
    expect(told(await checked("shallow"))).toEqual([`${first}46: undefined field 'port'`]);
  });

  test("kinds that there are not are not checked", async () => {
    await create("unknown", ["example.com", "v1", "nothings"], "object.nope == 1");
    expect(await checked("unknown")).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test("custom resources that have come since", async () => {
    const definitions = cluster.client.clientFor(resources.customResourceDefinitions);
    await definitions.create(definition("integer"));
    await space.until(
      "its schema is published",
      async () =>
        cluster.client.rest.json({ method: "GET", path: "/openapi/v3" }) as Promise<{
          readonly paths: Readonly<Record<string, unknown>>;
        }>,
      ({ paths }) => paths["apis/apis.example.com/v1beta1"] !== undefined,
    );
    const crontabs = ["apis.example.com", "v1beta1", "crontabs"] as const;
    await create(
      "custom",
      crontabs,
      "object.spec.replicas > 1 && object.metadata.name != ''",
      "object.spec.missing > 1",
      "object.spec.replicas == '1'",
    );
    const kind = "apis.example.com/v1beta1, Kind=CronTab: ERROR: <input>:1:";
    expect(told(await checked("custom"))).toEqual([
      `spec.validations[1].expression ${kind}12: undefined field 'missing'`,
      `spec.validations[2].expression ${kind}22: found no matching overload for '_==_' applied to '(int, string)'`,
    ]);
    await definitions.delete({ name: "crontabs.apis.example.com" });
  });
});
