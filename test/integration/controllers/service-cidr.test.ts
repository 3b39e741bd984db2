import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serviceCidrController } from "../../../controllers/servicecidr/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { IPAddress, ServiceCIDR } from "../../../pkg/api/types/networking-v1.gen.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { TestSpace } from "../../harness/test-space.ts";

const FINALIZER = "networking.k8s.io/service-cidr-finalizer";

/** upstream: test/integration/servicecidr/servicecidr_test.go; addresses are made by hand, as the allocator makes them */
describe.each(accountClusterKinds)("ServiceCIDRs on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(() => [serviceCidrController()], ["--service-cluster-ip-range=192.168.0.0/29"]);
    space = new TestSpace(cluster.client, "default");
  });
  afterAll(async () => cluster?.stop());

  const cidrs = () => cluster.client.clientFor<ServiceCIDR>(resources.serviceCIDRs);
  const addresses = () => cluster.client.clientFor<IPAddress>(resources.ipAddresses);

  async function find(name: string): Promise<ServiceCIDR | undefined> {
    try {
      return await cidrs().get({ name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  const readiness = (cidr: ServiceCIDR | undefined) =>
    cidr?.status?.conditions?.find(({ type }) => type === "Ready");

  async function untilReady(name: string): Promise<ServiceCIDR | undefined> {
    return space.until(
      `${name} is ready`,
      async () => find(name),
      (cidr) => readiness(cidr)?.status === "True",
    );
  }

  async function untilGone(name: string): Promise<void> {
    await space.until(
      `${name} is gone`,
      async () => find(name),
      (cidr) => cidr === undefined,
    );
  }

  async function create(name: string, ...ranges: readonly string[]): Promise<void> {
    await cidrs().create({ metadata: { name }, spec: { cidrs: ranges } });
    await untilReady(name);
  }

  async function give(name: string): Promise<void> {
    await addresses().create({
      metadata: {
        name,
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "some" } },
    });
  }

  test("a new one is ready and protected", async () => {
    await create("new", "10.168.0.0/24", "2001:db8:1::/112");
    const cidr = await find("new");
    expect(cidr?.metadata.finalizers).toEqual([FINALIZER]);
    expect(readiness(cidr)).toEqual({
      type: "Ready",
      status: "True",
      reason: "",
      message: "Kubernetes Service CIDR is ready",
      lastTransitionTime: expect.any(String) as string,
    });
  });

  test("one goes within another, and stays for an address that is in no other", async () => {
    await create("small", "10.0.0.0/24");
    await give("10.0.0.7");
    await create("large", "10.0.0.0/16");
    await cidrs().delete({ name: "small" });
    await untilGone("small");
    await cidrs().delete({ name: "large" });
    const staying = await space.until(
      "large stays for the address",
      async () => find("large"),
      (cidr) => readiness(cidr)?.status === "False",
    );
    expect(staying?.metadata.finalizers).toEqual([FINALIZER]);
    expect(readiness(staying)).toEqual({
      type: "Ready",
      status: "False",
      reason: "Terminating",
      message:
        "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
      lastTransitionTime: expect.any(String) as string,
    });
    await addresses().delete({ name: "10.0.0.7" });
    await untilGone("large");
  });

  test("one that stays goes when another comes that has its addresses", async () => {
    await create("old", "10.1.0.0/24");
    await give("10.1.0.7");
    await cidrs().delete({ name: "old" });
    await space.until(
      "old stays for the address",
      async () => find("old"),
      (cidr) => readiness(cidr)?.status === "False",
    );
    await create("next", "10.1.0.0/25");
    await untilGone("old");
  });
});
