import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ConfigMap, Namespace, ResourceQuota, Secret } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import type { PropagationPolicy } from "../../pkg/api/propagation-policy.ts";
import type { TestSpace } from "../harness/test-space.ts";
import { until } from "../harness/until.ts";
import { owned, refTo } from "../integration/controllers/owned.ts";

const { configMaps, secrets, serviceAccounts, resourceQuotas, clusterRoles, namespaces } = resources;
const ROOT_CA = "kube-root-ca.crt";
const HELD = { finalizers: ["takeover.dev/held"] };

/** Something of every sort that these controllers look after: accounts, a token, a quota, roles, owners. */
export async function settle(space: TestSpace): Promise<void> {
  const { namespace, client } = space;
  await until("the account and the CA are there", async () => {
    const account = await space.find(serviceAccounts, "default");
    return account !== undefined && (await space.find(configMaps, ROOT_CA)) !== undefined;
  });
  await space.create(serviceAccounts, { metadata: { name: "bot" } });
  await space.create<Secret>(secrets, {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "bot" } },
    type: "kubernetes.io/service-account-token",
  });
  const owner = await space.create(configMaps, owned("owner"));
  const other = await space.create(configMaps, owned("other"));
  const reference = refTo(configMaps, owner, { blockOwnerDeletion: true });
  await space.create(configMaps, owned("child", reference, refTo(configMaps, other)));
  await seen(space);
  const hard = { configmaps: "10", secrets: "10", pods: "5", "count/serviceaccounts": "5" };
  await space.create<ResourceQuota>(resourceQuotas, { metadata: { name: "all" }, spec: { hard } });
  const labels = { "takeover.dev/of": namespace };
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  await client
    .clientFor<ClusterRole>(clusterRoles)
    .create({ metadata: { name: `${namespace}-a`, labels }, rules });
  await client.clientFor<ClusterRole>(clusterRoles).create({
    metadata: { name: `${namespace}-sum` },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
  });
  await space.until(
    "all of it is settled",
    async () => unsettled(space),
    (left) => left.length === 0,
  );
}

/**
 * Upstream's program counts once for a new quota, from its caches, and does not look again when something older comes late
 * into them. What it mends has come there after all that was made before.
 */
async function seen(space: TestSpace): Promise<void> {
  await space.patch(configMaps, ROOT_CA, { data: { "ca.crt": "spoilt" } });
  await until("the token is filled and the CA is mended", async () => {
    const { data } = await space.get<Secret>(secrets, "token");
    const ca = await space.get<ConfigMap>(configMaps, ROOT_CA);
    return data?.["token"] !== undefined && ca.data?.["ca.crt"] !== "spoilt";
  });
}

async function unsettled(space: TestSpace): Promise<readonly unknown[]> {
  const token = await space.get<Secret>(secrets, "token");
  const { status } = await space.get<ResourceQuota>(resourceQuotas, "all");
  const sum = await space.client.clientFor<ClusterRole>(clusterRoles).get({ name: `${space.namespace}-sum` });
  const used = { configmaps: "4", secrets: "1", pods: "0", "count/serviceaccounts": "2" };
  const isCounted = Object.entries(used).every(([name, count]) => status?.used?.[name] === count);
  return [
    ...(token.data?.["token"] === undefined ? [token.metadata] : []),
    ...(isCounted ? [] : [status]),
    ...(sum.rules?.length === 1 ? [] : [sum]),
  ];
}

/** A deletion that one program has begun and another brings to its end. */
export interface Deletion {
  readonly name: string;
  /** Under the old program, up to the point where it is left. */
  setOff(space: TestSpace): Promise<void>;
  /** While nobody leads. */
  meanwhile(space: TestSpace): Promise<void>;
  isDone(space: TestSpace): Promise<boolean>;
}

export const deletions: readonly Deletion[] = [
  {
    name: "namespace",
    setOff: async (space) => {
      await space.create(configMaps, { metadata: { name: "held", ...HELD } });
      await space.client.clientFor<Namespace>(namespaces).delete({ name: space.namespace });
      await until("the namespace says what holds it", async () => {
        const { status } = await namespaceOf(space);
        return (
          status?.conditions?.some(
            ({ type, status: is }) => type === "NamespaceFinalizersRemaining" && is === "True",
          ) ?? false
        );
      });
    },
    meanwhile: letGo,
    isDone: async (space) => {
      const { items } = await space.client
        .clientFor<Namespace>(namespaces)
        .list({ fieldSelector: `metadata.name=${space.namespace}` });
      return items.length === 0;
    },
  },
  {
    name: "foreground",
    setOff: async (space) => {
      await createFamily(space, HELD);
      await remove(space, "Foreground");
      await until("the dependent waits for its finalizer", async () => {
        const { metadata } = await space.get<ApiObject>(configMaps, "held");
        return metadata.deletionTimestamp !== undefined;
      });
    },
    meanwhile: letGo,
    isDone: async (space) => areThere(space, []),
  },
  {
    name: "background",
    setOff: createFamily,
    meanwhile: async (space) => remove(space, "Background"),
    isDone: async (space) => areThere(space, []),
  },
  {
    name: "orphan",
    setOff: createFamily,
    meanwhile: async (space) => remove(space, "Orphan"),
    isDone: async (space) =>
      (await areThere(space, ["held"])) &&
      (await space.get<ApiObject>(configMaps, "held")).metadata.ownerReferences === undefined,
  },
];

async function createFamily(
  space: TestSpace,
  more: { readonly finalizers?: readonly string[] } = {},
): Promise<void> {
  const owner = await space.create(configMaps, owned("owner"));
  const ownerReferences = [refTo(configMaps, owner, { blockOwnerDeletion: true })];
  await space.create(configMaps, { metadata: { name: "held", ownerReferences, ...more } });
}

async function remove(space: TestSpace, propagationPolicy: PropagationPolicy): Promise<void> {
  const ref = { namespace: space.namespace, name: "owner" };
  await space.client.clientFor(configMaps).delete(ref, { propagationPolicy });
}

async function letGo(space: TestSpace): Promise<void> {
  await space.patch(configMaps, "held", { metadata: { finalizers: null } });
}

/** Of those that are made here. */
async function areThere(space: TestSpace, names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    ["owner", "held"].map(async (name) => space.find<ApiObject>(configMaps, name)),
  );
  return found.flatMap((object) => object?.metadata.name ?? []).join() === names.join();
}

async function namespaceOf({ client, namespace }: TestSpace): Promise<Namespace> {
  return client.clientFor<Namespace>(namespaces).get({ name: namespace });
}
