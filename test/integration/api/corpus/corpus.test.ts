import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject } from "../../../../pkg/api/object.ts";
import { resourcePath } from "../../../../pkg/api/resource.ts";
import { isServedByDefault, resourceOfKind } from "../../../../pkg/api/resources.ts";
import { allKinds } from "../../../../pkg/apiserver/kinds/all-kinds.ts";
import type { TableColumn } from "../../../../pkg/apiserver/kinds/kind.ts";
import { hasRealCluster, startRealCluster, type RealCluster } from "../../../harness/real-cluster.ts";
import { clusterCases } from "./cluster-kinds.ts";
import type { CorpusCase } from "./corpus-case.ts";
import { deviceCases } from "./device-kinds.ts";
import { moreCases } from "./more-kinds.ts";
import { otherCases } from "./other-kinds.ts";
import { storageCases } from "./storage-kinds.ts";
import { beforeUpdate, causes, comparable, create, rulesOf, update } from "./our-column.ts";
import { podCases } from "./pods.ts";
import { RealColumn, type Answer } from "./real-column.ts";
import { updateCases } from "./updates.ts";
import { workloadCases } from "./workloads.ts";
import { describeWhere } from "../../../harness/where.ts";

interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: null | readonly { readonly cells: readonly unknown[]; readonly object: ApiObject }[];
}

const corpus: readonly CorpusCase[] = [
  ...podCases,
  ...workloadCases,
  ...otherCases,
  ...clusterCases,
  ...deviceCases,
  ...storageCases,
  ...moreCases,
];

describe("on their own, the rules tell good objects from bad ones", () => {
  test.each(corpus.map((one) => [one.name, one] as const))("%s", (_name, { object, valid }) => {
    const { errors } = create(object);
    if (valid) expect(errors).toEqual([]);
    else expect(errors).not.toEqual([]);
  });
});

describe("on their own, the rules tell good changes from bad ones", () => {
  test.each(updateCases.map((one) => [one.name, one] as const))("%s", (_name, one) => {
    const { errors } = update(beforeUpdate(one), one.patch, one.subresource ?? "");
    if (one.valid) expect(errors).toEqual([]);
    else expect(errors).not.toEqual([]);
  });
});

describeWhere(hasRealCluster())("the rules say the same as a real API server", () => {
  let cluster: RealCluster;
  let column: RealColumn;
  const answers = new Map<string, Answer>();

  beforeAll(async () => {
    const plugins = [
      "ServiceAccount",
      "DefaultTolerationSeconds",
      "Priority",
      "StorageObjectInUseProtection",
      "TaintNodesByCondition",
      "ResourceQuota",
      "LimitRanger",
      "DefaultStorageClass",
      "PersistentVolumeClaimResize",
    ];
    cluster = await startRealCluster({
      apiServerFlags: [`--disable-admission-plugins=${plugins.join(",")}`],
    });
    column = new RealColumn(cluster);
    for (const one of corpus) {
      const { resource } = rulesOf(one.object);
      const builtIn = resourceOfKind(one.object.apiVersion, resource.kind);
      if (builtIn !== undefined) answers.set(one.name, await column.create(builtIn, one.object));
    }
  }, 120_000);

  afterAll(async () => {
    column.close();
    await cluster.stop();
  });

  test.each(corpus.map((one) => [one.name, one] as const))("%s", (name, { object, valid }) => {
    const answer = answers.get(name);
    if (valid) {
      expect(answer?.code, JSON.stringify(answer?.body)).toBe(201);
      const { draft } = create(object, (answer?.body["metadata"] ?? {}) as Record<string, unknown>);
      expect(comparable(draft)).toEqual(comparable(answer?.body ?? {}));
    } else {
      expect(answer?.code, JSON.stringify(answer?.body)).toBe(422);
      expect(causes(create(object).errors)).toEqual(causes(answer?.body.details?.causes ?? []));
    }
  });

  test.each(updateCases.map((one) => [one.name, one] as const))("change: %s", async (_name, one) => {
    const resource = resourceOfKind(one.object.apiVersion, one.object.kind);
    if (resource === undefined) throw new Error(`no resource for ${one.object.kind}`);
    const { name } = one.object["metadata"] as { name: string };
    const created = await column.create(resource, one.object);
    expect(created.code, JSON.stringify(created.body)).toBe(201);
    if (one.before !== undefined) {
      const prepared = await column.patch(resource, name, one.before.subresource, one.before.patch);
      expect(prepared.code, JSON.stringify(prepared.body)).toBe(200);
    }
    const answer = await column.patch(resource, name, one.subresource ?? "", one.patch);
    const before = beforeUpdate(one, created.body["metadata"] as Record<string, unknown>);
    const ours = update(before, one.patch, one.subresource ?? "");
    expect(answer.code, JSON.stringify(answer.body)).toBe(one.valid ? 200 : 422);
    if (one.valid) expect(comparable(ours.draft)).toEqual(comparable(answer.body));
    else expect(causes(ours.errors)).toEqual(causes(answer.body.details?.causes ?? []));
  });

  // Servers have those of other versions only where they are told to.
  const tables = allKinds.filter(
    ({ columns, resource }) => columns.length > 0 && isServedByDefault(resource),
  );
  test.each(tables.map((rules) => [rules.resource.kind, rules] as const))(
    "table of %s",
    async (_kind, rules) => {
      const answer = await column.get(
        `${resourcePath(rules.resource)}?includeObject=Object`,
        "application/json;as=Table;v=v1;g=meta.k8s.io",
      );
      const table = answer.body as unknown as Table;
      const definitions = rules.columns.map(({ name, type, format, priority }) => ({
        name,
        type,
        format,
        priority,
      }));
      expect(definitions).toEqual(
        table.columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority })),
      );
      const isTime = (name: string): boolean =>
        ["Age", "Created At", "Last Seen", "First Seen", "Duration"].includes(name);
      for (const { object, cells } of table.rows ?? []) {
        const ours = rules.columns.map((one) => (isTime(one.name) ? "" : one.cell(object, Date.now())));
        // Upstream gives IP addresses one cell more than columns.
        const theirs = cells
          .slice(0, rules.columns.length)
          .map((cell, index) => (isTime(rules.columns[index]?.name ?? "") ? "" : cell));
        expect(ours, object.metadata.name).toEqual(theirs);
      }
    },
  );
});
