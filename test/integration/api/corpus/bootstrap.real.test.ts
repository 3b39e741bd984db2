import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject } from "../../../../pkg/api/object.ts";
import { resourcePath } from "../../../../pkg/api/resource.ts";
import { resourceOfKind } from "../../../../pkg/api/resources.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import { bootstrapObjects } from "../../../../pkg/apiserver/auth/bootstrap-objects.ts";
import { startRealCluster, type RealCluster } from "../../../harness/real-cluster.ts";
import { RealColumn } from "./real-column.ts";

const objects = bootstrapObjects({ clusterIp: "10.0.0.1", port: 6443 });

/** What a bootstrap object says, without what the server adds and without the order of labels. */
function content(object: ApiObject): unknown {
  const { labels, annotations } = object.metadata;
  const { metadata: _metadata, status: _status, ...rest } = object as ApiObject & Record<string, unknown>;
  const rules = rest["rules"] ?? undefined;
  const subjects = rest["subjects"] ?? undefined;
  return {
    labels: labels ?? {},
    annotations: annotations ?? {},
    roleRef: rest["roleRef"],
    aggregationRule: rest["aggregationRule"],
    value: rest["value"],
    description: rest["description"],
    rules: rules === undefined || (rules as unknown[]).length === 0 ? [] : rules,
    subjects: subjects === undefined ? [] : subjects,
  };
}

function pathOf(object: ApiObject): string {
  const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
  if (resource === undefined) throw new Error(`no resource for ${object.kind}`);
  return resourcePath(resource, object.metadata.namespace, object.metadata.name);
}

const compared = objects.filter(({ kind }) => kind !== "Namespace" && kind !== "Service");

describe("the bootstrap objects are those of a real API server", () => {
  let cluster: RealCluster;
  let column: RealColumn;

  beforeAll(async () => {
    cluster = await startRealCluster();
    column = new RealColumn(cluster);
    // Roles and priority classes are made after the server is ready.
    const last = pathOf(compared.at(-1) ?? { metadata: {} });
    for (let turn = 0; turn < 200 && (await column.get(last)).code !== 200; turn++) {
      await sleep(realClock, 100);
    }
  }, 90_000);

  afterAll(async () => {
    column.close();
    await cluster.stop();
  });

  test.each(
    compared.map((one) => [`${one.kind} ${one.metadata.namespace ?? ""}/${one.metadata.name}`, one] as const),
  )("%s", async (_name, object) => {
    const answer = await column.get(pathOf(object));
    expect(answer.code).toBe(200);
    expect(content(object)).toEqual(content(answer.body as unknown as ApiObject));
  });

  test.each(["clusterroles", "clusterrolebindings", "roles", "rolebindings"])(
    "no %s are missing",
    async (plural) => {
      const answer = await column.get(`/apis/rbac.authorization.k8s.io/v1/${plural}`);
      const items = (answer.body as unknown as { items: ApiObject[] }).items;
      const kinds: Readonly<Record<string, string>> = {
        clusterroles: "ClusterRole",
        clusterrolebindings: "ClusterRoleBinding",
        roles: "Role",
        rolebindings: "RoleBinding",
      };
      const keys = (list: readonly ApiObject[]): string[] =>
        list.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`).toSorted();
      expect(keys(objects.filter(({ kind }) => kind === kinds[plural]))).toEqual(keys(items));
    },
  );
});
