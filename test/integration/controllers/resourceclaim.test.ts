import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resourceClaimController } from "../../../controllers/resourceclaim/controller.ts";
import { CLAIM_FINALIZER, consumerOf } from "../../../pkg/api/device-claims.ts";
import type { Stored } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod, PodResourceClaim } from "../../../pkg/api/types/core-v1.gen.ts";
import type { ResourceClaim } from "../../../pkg/api/types/resource-v1.gen.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";

const gpu: PodResourceClaim = { name: "gpu", resourceClaimTemplateName: "gpus" };
const nic: PodResourceClaim = { name: "nic", resourceClaimTemplateName: "nics" };

// upstream: test/integration/dra/core.go, resourceclaim.go; test/e2e/dra, what is about claims and not about drivers
describe.each(accountClusterKinds)("claims of devices on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(() => [resourceClaimController({ workers: 5 })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
    await space.create(resources.serviceAccounts, { metadata: { name: "default" } });
  });
  afterAll(async () => cluster?.stop());

  async function pod(
    name: string,
    resourceClaims: readonly PodResourceClaim[],
    nodeName?: string,
  ): Promise<Stored<Pod>> {
    return (await space.create<Pod>(resources.pods, {
      metadata: { name },
      spec: {
        containers: [{ name: "main", image: "a" }],
        resourceClaims,
        ...(nodeName !== undefined && { nodeName }),
      },
    })) as Stored<Pod>;
  }

  const template = async (name: string): Promise<unknown> =>
    space.create(resources.resourceClaimTemplates, {
      metadata: { name },
      spec: {
        metadata: { labels: { of: name } },
        spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "class" } }] } },
      },
    });

  async function claim(name: string, users: readonly Stored<Pod>[]): Promise<void> {
    const claims = cluster.client.clientFor<ResourceClaim>(resources.resourceClaims);
    const { namespace } = space;
    const created = await claims.create({
      metadata: { name, namespace, finalizers: [CLAIM_FINALIZER] },
      spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "class" } }] } },
    });
    const result = { request: "one", driver: "driver.example.com", pool: "pool", device: "device" };
    await claims.updateStatus({
      ...created,
      status: {
        allocation: { devices: { results: [result] } },
        reservedFor: users.map((user) => consumerOf(user, "pods")),
      },
    });
  }

  async function statusOf(name: string): Promise<string> {
    const found = await space.find<ResourceClaim>(resources.resourceClaims, name);
    if (found === undefined) return "gone";
    const { metadata, status = {} } = found;
    const users = (status.reservedFor ?? []).map((user) => user.name).toSorted();
    const isHeld = metadata.finalizers?.includes(CLAIM_FINALIZER) === true;
    return `${status.allocation === undefined ? "free" : "allocated"}${isHeld ? ", held" : ""}: ${users.join(" ")}`;
  }

  const untilStatus = async (name: string, expected: string): Promise<unknown> =>
    space.until(
      `the claim is ${expected}`,
      async () => statusOf(name),
      (seen) => seen === expected,
    );

  async function namesOf(name: string): Promise<Readonly<Record<string, string>>> {
    const { status } = await space.get<Pod>(resources.pods, name);
    return Object.fromEntries(
      (status?.resourceClaimStatuses ?? []).map((each) => [each.name, each.resourceClaimName ?? ""]),
    );
  }

  async function untilNamed(name: string, count: number): Promise<Readonly<Record<string, string>>> {
    return space.until(
      `${count} claims are told`,
      async () => namesOf(name),
      (seen) => Object.keys(seen).length === count,
    );
  }

  test("a pod has one claim of each template, and is told of all of them", async () => {
    await template("gpus");
    const { metadata: owner } = await pod("web", [gpu, nic]);
    await space.until(
      "the first claim is there",
      async () => space.list<ResourceClaim>(resources.resourceClaims),
      (claims) => claims.length === 1,
    );
    await template("nics");
    const names = await untilNamed("web", 2);
    const claims = await space.list<ResourceClaim>(resources.resourceClaims);
    const made = new Set(claims.map(({ metadata }) => metadata.name));
    expect(made).toEqual(new Set(Object.values(names)));
    const first = claims.find(({ metadata }) => metadata.name === names["gpu"]);
    expect(first?.metadata.name).toMatch(/^web-gpu-/);
    expect(first?.metadata.labels).toEqual({ of: "gpus" });
    expect(first?.metadata.ownerReferences).toMatchObject([{ kind: "Pod", uid: owner.uid }]);
    expect(first?.spec.devices?.requests?.[0]?.exactly).toMatchObject({ deviceClassName: "class", count: 1 });
    await space.untilSteady(async () => space.list(resources.resourceClaims));
    expect(await namesOf("web")).toEqual(names);
  });

  test("a claim that somebody deletes is made again, and the others stay told", async () => {
    await template("gpus");
    await template("nics");
    await pod("web", [gpu, nic]);
    const before = await untilNamed("web", 2);
    await space.delete(resources.resourceClaims, before["gpu"] ?? "");
    const after = await space.until(
      "another claim is told",
      async () => namesOf("web"),
      (seen) => seen["gpu"] !== undefined && seen["gpu"] !== before["gpu"],
    );
    expect(after["nic"]).toBe(before["nic"]);
  });

  test("a claim is free when its last user is done or gone, and allocated until then", async () => {
    const shared: PodResourceClaim = { name: "gpu", resourceClaimName: "shared" };
    const users = [await pod("one", [shared], "worker"), await pod("two", [shared], "worker")];
    await claim("shared", users);
    await untilStatus("shared", "allocated, held: one two");
    await space.delete(resources.pods, "one", 0);
    await untilStatus("shared", "allocated, held: two");
    await space.markPod("two", "failed");
    await untilStatus("shared", "free: ");
  });

  test("a claim that is deleted goes when its last user does", async () => {
    const shared: PodResourceClaim = { name: "gpu", resourceClaimName: "shared" };
    await claim("shared", [await pod("one", [shared], "worker")]);
    await space.delete(resources.resourceClaims, "shared");
    await untilStatus("shared", "allocated, held: one");
    await space.delete(resources.pods, "one", 0);
    await untilStatus("shared", "gone");
  });

  test("a claim that was made for a pod goes when that is done", async () => {
    await template("gpus");
    await pod("web", [gpu], "worker");
    const { gpu: name = "" } = await untilNamed("web", 1);
    await space.markPod("web", "failed");
    await untilStatus(name, "gone");
  });

  // upstream: test/integration/dra/resourceclaim.go#testShareResourceClaimSequentially, of pods that have their nodes
  test("pods that have got their nodes by other means share a claim", async () => {
    const shared: PodResourceClaim = { name: "gpu", resourceClaimName: "shared" };
    const names = Array.from({ length: 8 }, (_, index) => `web-${index}`);
    await claim("shared", []);
    for (const name of names) await pod(name, [shared], "worker");
    await untilStatus("shared", `allocated, held: ${names.join(" ")}`);
    for (const name of names) await space.delete(resources.pods, name, 0);
    await untilStatus("shared", "free: ");
  });
});
