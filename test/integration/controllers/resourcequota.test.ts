import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { replicationController } from "../../../controllers/replicaset/controller.ts";
import { resourceQuotaController } from "../../../controllers/resourcequota/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  Pod,
  ReplicationController,
  ResourceQuota,
  Service,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { DeviceClass, ResourceClaim } from "../../../pkg/api/types/resource-v1.gen.ts";
import { isForbidden } from "../../../pkg/client/errors.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { describeWhere, servedSince } from "../../harness/where.ts";
import { accountIn, pod, quotaOf, usedOf } from "./quota-cases.ts";

const controllers = (): readonly ControllerDescriptor[] => [
  resourceQuotaController({ workers: 2, syncPeriodMs: 0 }),
  replicationController({ workers: 3 }),
  serviceAccountController(),
];

// Names of upstream's functions (test/integration/quota/quota_test.go) stand in front of each case.
describe.each(accountClusterKinds)("quotas on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(controllers);
  });
  beforeEach(async () => {
    space = await cluster.space();
    await accountIn(space);
  });
  afterAll(async () => cluster.stop());

  test("Quota: a hundred pods come up within a quota, and give back their room", async () => {
    await quotaOf(space, { pods: "1000" });
    await space.create(resources.replicationControllers, hundred);
    await space.until(
      "all replicas are there",
      async () => space.get<ReplicationController>(resources.replicationControllers, "foo"),
      ({ status }) => status?.replicas === 100,
    );
    await usedOf(space, { pods: "100" });
    await space.update<ReplicationController>(resources.replicationControllers, "foo", (found) => ({
      ...found,
      spec: { ...found.spec, replicas: 10 },
    }));
    await usedOf(space, { pods: "10" });
  });

  test("Quota: no more pods than the quota allows, and more when it allows more", async () => {
    await quotaOf(space, { pods: "7" });
    await space.create(resources.replicationControllers, hundred);
    await usedOf(space, { pods: "7" });
    await space.update<ResourceQuota>(resources.resourceQuotas, "quota", (quota) => ({
      ...quota,
      spec: { hard: { pods: "9" } },
    }));
    await usedOf(space, { pods: "9" });
    expect(await space.pods()).toHaveLength(9);
  });

  test("QuotaLimitService: Services by their number, node ports and load balancers", async () => {
    await quotaOf(space, { services: "4", "services.nodeports": "2", "services.loadbalancers": "2" });
    await space.create<Service>(resources.services, service("np", "NodePort"));
    await space.create<Service>(resources.services, service("lb", "LoadBalancer", true));
    await usedOf(space, { services: "2", "services.nodeports": "2", "services.loadbalancers": "1" });
    await expectRefused(space, service("lb-with-ports", "LoadBalancer", true));
    await space.create<Service>(resources.services, service("lb-without-ports", "LoadBalancer", false));
    await usedOf(space, { services: "3", "services.nodeports": "2", "services.loadbalancers": "2" });
    await expectRefused(space, service("lb-too-many", "LoadBalancer", false));
    await space.create<Service>(resources.services, service("plain", "ClusterIP"));
    await usedOf(space, { services: "4", "services.nodeports": "2", "services.loadbalancers": "2" });
    await expectRefused(space, service("too-many", "ClusterIP"));
    await space.delete(resources.services, "np");
    await usedOf(space, { services: "3", "services.nodeports": "1", "services.loadbalancers": "2" });
  });

  test("pods by scope and priority, claims by class, and objects by their number", async () => {
    await quotaOf(space, { pods: "5" }, "best-effort", { scopes: ["BestEffort"] });
    await quotaOf(space, { pods: "5", cpu: "5", "requests.example.com/gpu": "5" }, "others", {
      scopes: ["NotBestEffort"],
    });
    await quotaOf(
      space,
      {
        persistentvolumeclaims: "5",
        "gold.storageclass.storage.k8s.io/requests.storage": "5Gi",
        "count/configmaps": "50",
      },
      "objects",
    );
    await space.create<Pod>(resources.pods, pod("a", {}));
    await space.create<Pod>(resources.pods, pod("b", { cpu: "1500m", "example.com/gpu": "2" }));
    await space.create(resources.configMaps, { metadata: { name: "c" } });
    const claim = {
      metadata: { name: "data" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "gold",
        resources: { requests: { storage: "1Gi" } },
      },
    };
    await space.create(resources.persistentVolumeClaims, claim);
    await usedOf(space, { pods: "1" }, "best-effort");
    await usedOf(space, { pods: "1", cpu: "1500m", "requests.example.com/gpu": "2" }, "others");
    await usedOf(
      space,
      { persistentvolumeclaims: "1", "gold.storageclass.storage.k8s.io/requests.storage": "1Gi" },
      "objects",
    );
    await space.delete(resources.pods, "b", 0);
    await space.delete(resources.configMaps, "c");
    await usedOf(space, { pods: "0", cpu: "0", "requests.example.com/gpu": "0" }, "others");
    await usedOf(space, { "count/configmaps": "0" }, "objects");
  });
});

// Devices have no part in the other cases, and not every API server has them.
describe.each(servedSince(accountClusterKinds, 36))(
  "quotas of devices on the $name API server",
  ({ start }) => {
    test("of claims, by the names that their class has for pods, are counted as admission counts them", async () => {
      const cluster = await start(controllers);
      try {
        const space = await cluster.space();
        await accountIn(space);
        const className = `${space.namespace}-gpu`;
        const named = `requests.example.com/${className}`;
        const implicit = `requests.deviceclass.resource.kubernetes.io/${className}`;
        const byClass = `${className}.deviceclass.resource.k8s.io/devices`;
        const spec = { extendedResourceName: `example.com/${className}` };
        await cluster.client
          .clientFor<DeviceClass>(resources.deviceClasses)
          .create({ metadata: { name: className }, spec });
        await quotaOf(space, { [named]: "9", [implicit]: "9", [byClass]: "9", pods: "9" });
        await space.create<ResourceClaim>(resources.resourceClaims, claimOf("a", className, 2));
        await space.create<ResourceClaim>(resources.resourceClaims, claimOf("b", className, 3));
        await space.create<Pod>(resources.pods, pod("p", { [`example.com/${className}`]: "1" }));
        await usedOf(space, { [named]: "6", [implicit]: "5", [byClass]: "5", pods: "1" });
        // A count of what is left, and of nothing else.
        await space.delete(resources.pods, "p", 0);
        await usedOf(space, { [named]: "5", [implicit]: "5", [byClass]: "5", pods: "0" });
        await space.delete(resources.resourceClaims, "b");
        await usedOf(space, { [named]: "2", [implicit]: "2", [byClass]: "2", pods: "0" });
      } finally {
        await cluster.stop();
      }
    });
  },
);

// Only kube-apiserver can be told that pods need a quota.
describeWhere(accountClusterKinds.some(({ name }) => name === "real"))("where pods need a quota", () => {
  test("QuotaLimitedResourceDenial: none can be created before there is one that has been counted", async () => {
    const directory = await mkdtemp(join(tmpdir(), "kcm-quota-"));
    const file = join(directory, "admission.yaml");
    await writeFile(file, JSON.stringify(podsNeedQuota));
    const real = accountClusterKinds.find(({ name }) => name === "real");
    const cluster = await real?.start(controllers, [`--admission-control-config-file=${file}`]);
    if (cluster === undefined) throw new Error("there is no real cluster");
    try {
      const space = await cluster.space();
      await accountIn(space);
      await expect(space.create<Pod>(resources.pods, pod("a", {}))).rejects.toThrow("insufficient quota");
      await quotaOf(space, { pods: "1000", "count/pods": "1000" });
      await space.until(
        "a pod can be created",
        async () => space.create<Pod>(resources.pods, pod("a", {})).catch((error: unknown) => String(error)),
        (seen) => typeof seen !== "string",
      );
      await usedOf(space, { pods: "1", "count/pods": "1" });
    } finally {
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

const podsNeedQuota = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins: [
    {
      name: "ResourceQuota",
      configuration: {
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "ResourceQuotaConfiguration",
        limitedResources: [{ resource: "pods", matchContains: ["pods"] }],
      },
    },
  ],
};

function claimOf(name: string, deviceClassName: string, count: number): ResourceClaim {
  const exactly = { deviceClassName, allocationMode: "ExactCount", count };
  return { metadata: { name }, spec: { devices: { requests: [{ name: "r", exactly }] } } };
}

const hundred: ReplicationController = {
  metadata: { name: "foo" },
  spec: {
    replicas: 100,
    selector: { foo: "bar" },
    template: {
      metadata: { labels: { foo: "bar" } },
      spec: { containers: [{ name: "container", image: "busybox" }] },
    },
  },
};

async function expectRefused(space: TestSpace, refused: Service): Promise<void> {
  await expect(space.create<Service>(resources.services, refused)).rejects.toSatisfy(isForbidden);
}

function service(
  name: string,
  type: "NodePort" | "LoadBalancer" | "ClusterIP",
  allocates?: boolean,
): Service {
  const allocate = allocates === undefined ? {} : { allocateLoadBalancerNodePorts: allocates };
  return { metadata: { name }, spec: { type, ports: [{ port: 80 }], ...allocate } };
}
