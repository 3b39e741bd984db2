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
import type { V1beta2DeviceTaintRule } from "../../../../pkg/api/types/resource-v1beta2.gen.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { follow } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import type { ManagerProcess } from "../manager-process.ts";
import { type Measured, measured } from "../measured.ts";
import type { Figure } from "../outcome.ts";
import { createNamespace } from "../probe.ts";
import type { Stage } from "../stage.ts";
import type { Workload } from "../workload.ts";

const PODS = 5_000;
const EVICTED = 1_000;
const LIMIT_MS = 600_000;
const NAMESPACE = "load";
const DRIVER = "gpu.example.com";
const POOL = "nowhere";
const RULES_GATE = "--feature-gates=DRADeviceTaintRules=true";
/** One breaks, and a rule is about the other. */
const [BROKEN, DOUBTFUL] = ["device-0", "device-1"] as const;
const EVICTS = { key: "broken", effect: "NoExecute" } as const;

/** Nobody schedules: claims are made for pods that wait. */
const claims: Workload = {
  id: "r-claims",
  title: `claims for ${PODS.toLocaleString("en")} pods`,
  needs: ["resourceclaim-controller"],
  rounds: 2,
  figures: {
    ...figuresOf("", "until all pods are told of their claim"),
    peak: { label: "peak RSS", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
  },
  play: async (stage, start) => {
    const { client } = stage;
    const pods = stage.scaled(PODS);
    const manager = await start();
    await createNamespace(client, NAMESPACE);
    const claim = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } };
    await client.clientFor<ResourceClaimTemplate>(resources.resourceClaimTemplates).create({
      metadata: { namespace: NAMESPACE, name: "template" },
      spec: { spec: claim },
    });
    await manager.settle(LIMIT_MS);
    const told = new Set<string>();
    const following = follow<Pod>(client, resources.pods, { namespace: NAMESPACE }, ({ object }) => {
      if (object.status?.resourceClaimStatuses?.[0]?.resourceClaimName !== undefined)
        told.add(object.metadata.name ?? "");
    });
    try {
      const made = await measured(manager, async () => {
        await inParallel(Array.from({ length: pods }), async (_, index) =>
          createPod(client, `waits-${index}`, { resourceClaimTemplateName: "template" }),
        );
        await following.until("all pods are told of their claim", () => told.size >= pods, LIMIT_MS);
      });
      return {
        figures: { ...figuresFrom("", made, pods), peak: manager.usage().peakRssMiB },
        curves: { RSS: manager.rss },
      };
    } finally {
      await following.stop();
    }
  },
};

/** Of pods whose claims were allocated by the user, half have a device that breaks and half one that a rule is about. */
const evictions: Workload = {
  id: "r-evictions",
  title: `${EVICTED.toLocaleString("en")} pods evicted by a taint of their device, then as many by a rule`,
  needs: ["device-taint-eviction-controller"],
  rounds: 3,
  apiServerFlags: ["--runtime-config=resource.k8s.io/v1beta2=true", RULES_GATE],
  figures: {
    ...figuresOf("taint", "a taint: until all are evicted"),
    ...figuresOf("rule", "a rule: until all are evicted"),
    peak: { label: "peak RSS", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
  },
  play: async (stage, start) => {
    const { client } = stage;
    const evicted = stage.scaled(EVICTED);
    const manager = await start({ more: [RULES_GATE] });
    await createNamespace(client, NAMESPACE);
    const slice = await client.clientFor<ResourceSlice>(resources.resourceSlices).create(sliceWith([]));
    for (const device of [BROKEN, DOUBTFUL])
      await inParallel(Array.from({ length: evicted }), async (_, index) =>
        createUser(client, `${device}-${index}`, device),
      );
    await manager.settle(LIMIT_MS);
    const byTaint = await untilEvicted(stage, { manager, evicted }, async () => {
      const { spec } = sliceWith([EVICTS]);
      await client.clientFor<ResourceSlice>(resources.resourceSlices).update({ ...slice, spec });
    });
    const byRule = await untilEvicted(stage, { manager, evicted }, async () => {
      await client.clientFor<V1beta2DeviceTaintRule>(resources.deviceTaintRules).create({
        metadata: { name: "rule" },
        spec: { deviceSelector: { driver: DRIVER, device: DOUBTFUL }, taint: EVICTS },
      });
    });
    return {
      figures: {
        ...figuresFrom("taint", byTaint, evicted),
        ...figuresFrom("rule", byRule, evicted),
        peak: manager.usage().peakRssMiB,
      },
      curves: { RSS: manager.rss },
    };
  },
};

export const deviceWorkloads: readonly Workload[] = [claims, evictions];

function figuresOf(what: string, label: string): Readonly<Record<string, Figure>> {
  return {
    [`${what}Seconds`]: { label, unit: "s", goal: { bound: "at most", value: 1 } },
    [`${what}Cpu`]: { label: "CPU for that", unit: "s", goal: { bound: "at most", value: 1 } },
    [`${what}Writes`]: { label: "API writes a pod, Events too", unit: "" },
  };
}

function figuresFrom(what: string, { seconds, cpuSeconds, writes }: Measured, pods: number) {
  return { [`${what}Seconds`]: seconds, [`${what}Cpu`]: cpuSeconds, [`${what}Writes`]: writes / pods };
}

interface Evicting {
  readonly manager: ManagerProcess;
  readonly evicted: number;
}

async function untilEvicted(
  { client }: Stage,
  { manager, evicted }: Evicting,
  cause: () => Promise<void>,
): Promise<Measured> {
  let gone = 0;
  const following = follow<Pod>(client, resources.pods, { namespace: NAMESPACE }, ({ type }) => {
    if (type === "DELETED") gone++;
  });
  try {
    return await measured(manager, async () => {
      await cause();
      await following.until("all are evicted", () => gone >= evicted, LIMIT_MS);
    });
  } finally {
    await following.stop();
  }
}

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

/** Many have the same device: it is the user who gives it. */
async function createUser(client: ClientSet, name: string, device: string): Promise<void> {
  const claims = client.clientFor<ResourceClaim>(resources.resourceClaims);
  const claim = await claims.create({
    metadata: { namespace: NAMESPACE, name },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
  });
  const pod = await createPod(client, name, { resourceClaimName: name }, POOL);
  const results = [{ request: "r", driver: DRIVER, pool: POOL, device }];
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
      devices: [{ name: BROKEN, taints }, { name: DOUBTFUL }],
    },
  };
}
