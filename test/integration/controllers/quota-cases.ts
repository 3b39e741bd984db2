import { resources } from "../../../pkg/api/resources.ts";
import type { Pod, ResourceQuota, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { TestSpace } from "../../harness/test-space.ts";

/** Pods cannot be created before there is one. */
export async function accountIn(space: TestSpace): Promise<void> {
  await space.until(
    "the account is there",
    async () => space.find<ServiceAccount>(resources.serviceAccounts, "default"),
    (seen) => seen !== undefined,
  );
}

export async function quotaOf(
  space: TestSpace,
  hard: Readonly<Record<string, string>>,
  name = "quota",
  spec: Omit<NonNullable<ResourceQuota["spec"]>, "hard"> = {},
): Promise<void> {
  await space.create<ResourceQuota>(resources.resourceQuotas, {
    metadata: { name },
    spec: { ...spec, hard },
  });
  await space.until(
    "the quota is counted",
    async () => space.get<ResourceQuota>(resources.resourceQuotas, name),
    ({ status }) => Object.keys(status?.used ?? {}).length === Object.keys(hard).length,
  );
}

export async function usedOf(
  space: TestSpace,
  used: Readonly<Record<string, string>>,
  name = "quota",
): Promise<void> {
  await space.until(
    `what is used is ${JSON.stringify(used)}`,
    async () => (await space.get<ResourceQuota>(resources.resourceQuotas, name)).status?.used ?? {},
    (seen) => Object.entries(used).every(([resource, amount]) => seen[resource] === amount),
  );
}

export function pod(name: string, requests: Readonly<Record<string, string>>): Pod {
  const limits = Object.fromEntries(Object.entries(requests).filter(([resource]) => resource.includes("/")));
  return {
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i", resources: { requests, limits } }] },
  };
}
