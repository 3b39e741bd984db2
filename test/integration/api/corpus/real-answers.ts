import { allKinds } from "../../../../pkg/apiserver/kinds/all-kinds.ts";
import type { KindRules, TableColumn } from "../../../../pkg/apiserver/kinds/kind.ts";
import type { ApiObject } from "../../../../pkg/api/object.ts";
import { resourcePath } from "../../../../pkg/api/resource.ts";
import { isServedByDefault, resourceOfKind } from "../../../../pkg/api/resources.ts";
import { startRealCluster } from "../../../harness/real-cluster.ts";
import { changes, corpus } from "./corpus.ts";
import { type Answer, RealColumn } from "./real-column.ts";
import type { UpdateCase } from "./corpus-case.ts";

export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: null | readonly { readonly cells: readonly unknown[]; readonly object: ApiObject }[];
}

/** What a real API server says to the whole corpus, by the names of the cases, and its tables by kind. */
export interface RealAnswers {
  readonly created: Readonly<Record<string, Answer>>;
  readonly changed: Readonly<Record<string, Changed>>;
  readonly tables: Readonly<Record<string, Table>>;
}

export interface Changed {
  readonly created: Answer;
  /** What came before the change, where something had to. */
  readonly prepared?: Answer;
  readonly answer: Answer;
}

/** Servers have those of other versions only where they are told to. */
export const kindsWithTables: readonly KindRules[] = allKinds.filter(
  ({ columns, resource }) => columns.length > 0 && isServedByDefault(resource),
);

/** The rules of the kinds alone are compared: these would change what comes to them. */
const PLUGINS = [
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

export async function askRealServer(): Promise<RealAnswers> {
  const cluster = await startRealCluster({
    apiServerFlags: [`--disable-admission-plugins=${PLUGINS.join(",")}`],
  });
  const column = new RealColumn(cluster);
  try {
    const created: Record<string, Answer> = {};
    for (const { name, object } of corpus) {
      const resource = resourceOfKind(object.apiVersion, object.kind);
      if (resource !== undefined) created[name] = await column.create(resource, object);
    }
    const changed: Record<string, Changed> = {};
    for (const one of changes) changed[one.name] = await change(column, one);
    const tables: Record<string, Table> = {};
    for (const { resource } of kindsWithTables) {
      const path = `${resourcePath(resource)}?includeObject=Object`;
      const { body } = await column.get(path, "application/json;as=Table;v=v1;g=meta.k8s.io");
      tables[resource.kind] = body as unknown as Table;
    }
    return { created, changed, tables };
  } finally {
    column.close();
    await cluster.stop();
  }
}

async function change(column: RealColumn, one: UpdateCase): Promise<Changed> {
  const resource = resourceOfKind(one.object.apiVersion, one.object.kind);
  if (resource === undefined) throw new Error(`no resource for ${one.object.kind}`);
  const { name } = one.object["metadata"] as { name: string };
  const created = await column.create(resource, one.object);
  const { before } = one;
  const prepared = before && (await column.patch(resource, name, before.subresource, before.patch));
  const answer = await column.patch(resource, name, one.subresource ?? "", one.patch);
  return { created, ...(prepared && { prepared }), answer };
}
