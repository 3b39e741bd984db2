import { consumerOf } from "../../../../pkg/api/device-claims.ts";
import type { Stored } from "../../../../pkg/api/object.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import type { Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import type {
  DeviceTaint,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "../../../../pkg/api/types/resource-v1.gen.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { follow } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import { createNamespace } from "../probe.ts";
import type { Workload } from "../workload.ts";

const PODS = 5_000;
const EVICTED = 1_000;
const LIMIT_MS = 600_000;
const NAMESPACE = "load";
const DRIVER = "gpu.example.com";
const POOL = "nowhere";
const DEVICE = "device-0";

/** Nobody schedules: claims are made for pods that wait, and others are allocated by the user. */
export const resourceClaims: Workload = {
  id: "r-claims",
  title: `claims for ${PODS.toLocaleString("en")} pods, then ${EVICTED.toLocaleString("en")} pods evicted by one taint`,
  needs: ["resourceclaim-controller", "device-taint-eviction-controller"],
  rounds: 1,
  figures: {
    seconds: {
      label: "until all pods are told of their claim",
      unit: "s",
      goal: { bound: "at most", value: 1 },
    },
    cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "API writes a pod, Events too", unit: "" },
    evictSeconds: { label: "until all are evicted", unit: "s", goal: { bound: "at most", value: 1 } },
    evictCpu: { label: "CPU for that", unit: "s", goal: { bound: "at most", value: 1 } },
    evictWrites: { label: "API writes a pod for that", unit: "" },
    peak: { label: "peak RSS", unit: "MiB" },
  },
  play: async (stage, start) => {
    const { client } = stage;
    const [pods, evicted] = [stage.scaled(PODS), stage.scaled(EVICTED)];
    const manager = await start();
    await createNamespace(client, NAMESPACE);
    const claim = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } };
    await client.clientFor<ResourceClaimTemplate>(resources.resourceClaimTemplates).create({
      metadata: { namespace: NAMESPACE, name: "template" },
      spec: { spec: claim },
    });
    const told = new Set<string>();
    const gone = new Set<string>();
    const following = follow<Pod>(client, resources.pods, { namespace: NAMESPACE }, ({ type, object }) => {
      const { name = "" } = object.metadata;
      if (type === "DELETED") gone.add(name);
      else if (object.status?.resourceClaimStatuses?.[0]?.resourceClaimName !== undefined) told.add(name);
    });
    try {
      const made = await measured(manager, async () => {
        await inParallel(Array.from({ length: pods }), async (_, index) =>
          createPod(client, `waits-${index}`, { resourceClaimTemplateName: "template" }),
        );
        await following.until("all pods are told of their claim", () => told.size >= pods, LIMIT_MS);
      });
      const slice = await client.clientFor<ResourceSlice>(resources.resourceSlices).create(sliceWith([]));
      await inParallel(Array.from({ length: evicted }), async (_, index) =>
        createUser(client, `uses-${index}`),
      );
      await manager.settle(LIMIT_MS);
      const left = await measured(manager, async () => {
        const { spec } = sliceWith([{ key: "broken", effect: "NoExecute" }]);
        await client.clientFor<ResourceSlice>(resources.resourceSlices).update({ ...slice, spec });
        await following.until("all are evicted", () => gone.size >= evicted, LIMIT_MS);
      });
      return {
        figures: {
          seconds: made.seconds,
          cpu: made.cpuSeconds,
          writes: made.writes / pods,
          evictSeconds: left.seconds,
          evictCpu: left.cpuSeconds,
          evictWrites: left.writes / evicted,
          peak: manager.usage().peakRssMiB,
        },
        curves: { RSS: manager.rss },
      };
    } finally {
      await following.stop();
    }
  },
};

async function createPod(
  client: ClientSet,
  name: string,
  claim: object,
  nodeName?: string,
): Promise<Stored<Pod>> {
  return client.clientFor<Pod>(resources.pods).create({
    metadata: { namespace: NAMESPACE, name },
    spec: {
      containers: [{ name: "main", image: "app:v1" }],
      terminationGracePeriodSeconds: 0,
      resourceClaims: [{ name: "gpu", ...claim }],
      ...(nodeName !== undefined && { nodeName }),
    },
  });
}

/** All have the one device there is: it is the user who gives it. */
async function createUser(client: ClientSet, name: string): Promise<void> {
  const claims = client.clientFor<ResourceClaim>(resources.resourceClaims);
  const claim = await claims.create({
    metadata: { namespace: NAMESPACE, name },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
  });
  const pod = await createPod(client, name, { resourceClaimName: name }, POOL);
  const results = [{ request: "r", driver: DRIVER, pool: POOL, device: DEVICE }];
  await claims.updateStatus({
    ...claim,
    status: { allocation: { devices: { results } }, reservedFor: [consumerOf(pod, "pods")] },
  });
}

function sliceWith(taints: readonly DeviceTaint[]): ResourceSlice {
  return {
    metadata: { name: "slice" },
    spec: {
      driver: DRIVER,
      nodeName: POOL,
      pool: { name: POOL, generation: 1, resourceSliceCount: 1 },
      devices: [{ name: DEVICE, taints }],
    },
  };
}
