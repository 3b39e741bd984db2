import { expect, test } from "vitest";
import { resourceQuotaController } from "../../../controllers/resourcequota/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod, ResourceQuota } from "../../../pkg/api/types/core-v1.gen.ts";
import type { DeviceClass, DeviceRequest, ResourceClaim } from "../../../pkg/api/types/resource-v1.gen.ts";
import { clusterKinds } from "../../harness/controller-clusters.ts";
import { Daemon, goProgram } from "../../harness/daemon.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { describeWhere } from "../../harness/where.ts";

const real = clusterKinds.find(({ name }) => name === "real");
const implicit = (name: string): string => `requests.deviceclass.resource.kubernetes.io/${name}`;
const byClass = (name: string): string => `${name}.deviceclass.resource.k8s.io/devices`;
const COUNT = "count/resourceclaims.resource.k8s.io";

/** Every mix of names that may or may not be about claims. */
const limits: readonly (readonly string[])[] = [
  [byClass("gpu"), implicit("gpu"), "requests.example.com/gpu", COUNT, "pods"],
  ["requests.example.com/gpu"],
  [implicit("gpu")],
  [byClass("plain"), implicit("plain")],
  [implicit("plain")],
  [byClass("nowhere"), implicit("nowhere")],
  [implicit("nowhere")],
  [implicit("nowhere"), COUNT],
  ["requests.example.com/nothing", byClass("gpu")],
];

const exactly = (deviceClassName: string, count: number): DeviceRequest => ({
  name: `${deviceClassName}-${count}`,
  exactly: { deviceClassName, count },
});
const claims: readonly (readonly DeviceRequest[])[] = [
  [exactly("gpu", 2), exactly("plain", 3)],
  [exactly("nowhere", 4)],
  [{ name: "all", exactly: { deviceClassName: "gpu", allocationMode: "All" } }],
  [
    {
      name: "some",
      firstAvailable: [
        { name: "a", deviceClassName: "gpu", count: 5 },
        { name: "b", deviceClassName: "plain", count: 6 },
      ],
    },
  ],
];

describeWhere(real !== undefined && goProgram !== undefined)("devices that a quota is about", () => {
  test("are counted as the Go program counts them", async () => {
    if (real === undefined || goProgram === undefined) throw new Error("something is missing");
    const cluster = await real.start();
    try {
      const space = await cluster.space();
      const classes = cluster.client.clientFor<DeviceClass>(resources.deviceClasses);
      await classes.create({ metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } });
      await classes.create({ metadata: { name: "plain" }, spec: {} });
      for (const [index, requests] of claims.entries())
        await space.create<ResourceClaim>(resources.resourceClaims, {
          metadata: { name: `claim-${index}` },
          spec: { devices: { requests } },
        });
      const asked = { "example.com/gpu": "7", "example.com/nothing": "8" };
      await space.create<Pod>(resources.pods, {
        metadata: { name: "pod" },
        spec: { containers: [{ name: "c", image: "i", resources: { requests: asked, limits: asked } }] },
      });
      const flags = ["--leader-elect=false", "--secure-port=0", "--controllers=resourcequota-controller"];
      const theirs = new Daemon(goProgram, [`--kubeconfig=${cluster.kubeconfig}`, ...flags]);
      const wanted = await counted(space, "theirs");
      await theirs.end("SIGKILL");
      cluster.run([resourceQuotaController({ workers: 2, syncPeriodMs: 0 })]);
      expect(await counted(space, "ours")).toEqual(wanted);
      expect(wanted[0]).toEqual({
        [byClass("gpu")]: "39",
        [implicit("gpu")]: "39",
        "requests.example.com/gpu": "46",
        [COUNT]: "4",
        pods: "1",
      });
    } finally {
      await cluster.stop();
    }
  });
});

/** What becomes of quotas that come when all else is there. */
async function counted(space: TestSpace, whose: string): Promise<readonly unknown[]> {
  const used: unknown[] = [];
  for (const [index, names] of limits.entries()) {
    const name = `${whose}-${index}`;
    const hard = Object.fromEntries(names.map((each) => [each, "99"]));
    await space.create<ResourceQuota>(resources.resourceQuotas, { metadata: { name }, spec: { hard } });
    const quota = await space.until(
      `${name} is counted`,
      async () => space.get<ResourceQuota>(resources.resourceQuotas, name),
      ({ status }) => Object.keys(status?.used ?? {}).length === names.length,
    );
    used.push(quota.status?.used);
  }
  return used;
}
