import { consumerOf } from "../../pkg/api/device-claims.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Pod, PodResourceClaim, PodStatus } from "../../pkg/api/types/core-v1.gen.ts";
import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceSlice,
} from "../../pkg/api/types/resource-v1.gen.ts";
import type {
  V1beta2DeviceTaint,
  V1beta2DeviceTaintRule,
  V1beta2DeviceTaintSelector,
} from "../../pkg/api/types/resource-v1beta2.gen.ts";
import { type ControllerWorld, NAMESPACE } from "./controller-world.ts";
import { mainContainer } from "./main-container.ts";

export const DRIVER = "some-driver.example.com";
export const POOL = "worker";
export const KEY = "example.com/taint";

/** What devices have, by their names. */
export type Devices = Readonly<Record<string, readonly DeviceTaint[]>>;

interface SliceOptions {
  readonly name?: string;
  readonly pool?: string;
  readonly generation?: number;
}

interface UserOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly claims?: readonly PodResourceClaim[];
  /** None: it has no node yet. */
  readonly nodeName?: string | undefined;
  readonly status?: PodStatus;
}

interface AllocationOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly devices?: readonly string[];
  readonly tolerations?: readonly DeviceToleration[];
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  /** The pod that it was made for. */
  readonly madeFor?: Stored<Pod>;
}

export const claimed = (resourceClaimName = "claim", name = "c"): PodResourceClaim => ({
  name,
  resourceClaimName,
});

/** Devices with taints, and the pods that use them, in a world. */
export class DevicesInWorld {
  readonly #world: ControllerWorld;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  /** Of now, or so long after. */
  taint(more: Partial<DeviceTaint> = {}, afterMs = 0): DeviceTaint {
    return {
      key: KEY,
      effect: "NoExecute",
      timeAdded: formatTime(this.#world.clock.nowMs() + afterMs),
      ...more,
    };
  }

  async slice(
    devices: Devices,
    { name = "slice", pool = POOL, generation = 1 }: SliceOptions = {},
  ): Promise<void> {
    await this.#world.create<ResourceSlice>(resources.resourceSlices, {
      metadata: { name },
      spec: {
        driver: DRIVER,
        nodeName: POOL,
        pool: { name: pool, generation, resourceSliceCount: 1 },
        devices: listed(devices),
      },
    });
  }

  async setTaints(devices: Devices, name = "slice"): Promise<void> {
    await this.#world.update<ResourceSlice>(resources.resourceSlices, name, (slice) => ({
      ...slice,
      spec: { ...slice.spec, devices: listed(devices) },
    }));
  }

  async rule(
    name: string,
    deviceSelector: V1beta2DeviceTaintSelector = { driver: DRIVER },
    taint: Partial<V1beta2DeviceTaint> = {},
  ): Promise<V1beta2DeviceTaintRule> {
    return this.#world.create<V1beta2DeviceTaintRule>(resources.deviceTaintRules, {
      metadata: { name },
      spec: { deviceSelector, taint: { ...this.taint(), ...taint } },
    });
  }

  /** What the rule says of its evictions. */
  async saysOf(name: string): Promise<string> {
    const { status } = await this.#world.get(resources.deviceTaintRules, name);
    const [condition] = status?.conditions ?? [];
    return condition === undefined ? "" : `${condition.status} ${condition.reason}: ${condition.message}`;
  }

  async pod(options: UserOptions = {}): Promise<Stored<Pod>> {
    const { name = "web", namespace = NAMESPACE, claims = [claimed()], status } = options;
    const nodeName = "nodeName" in options ? options.nodeName : "worker";
    const created = await this.#world.create<Pod>(resources.pods, {
      metadata: { name, namespace },
      spec: {
        containers: [mainContainer(status)],
        resourceClaims: claims,
        ...(nodeName !== undefined && { nodeName }),
      },
    });
    if (status !== undefined)
      await this.#world.client.clientFor<Pod>(resources.pods).updateStatus({ ...created, status });
    return created as Stored<Pod>;
  }

  async allocate(options: AllocationOptions = {}): Promise<Stored<ResourceClaim>> {
    const { name = "claim", namespace = NAMESPACE, devices = ["instance"], tolerations, madeFor } = options;
    const { reservedFor = madeFor === undefined ? [] : [forPod(madeFor)] } = options;
    const claims = this.#world.client.clientFor<ResourceClaim>(resources.resourceClaims);
    const ownerReferences = madeFor && [
      {
        apiVersion: "v1",
        kind: "Pod",
        name: madeFor.metadata.name,
        uid: madeFor.metadata.uid,
        controller: true,
      },
    ];
    const requests = devices.map((device) => ({ name: device, exactly: { deviceClassName: "class" } }));
    const created = await claims.create({
      metadata: { name, namespace, ...(ownerReferences && { ownerReferences }) },
      spec: { devices: { requests } },
    });
    const results = devices.map((device): DeviceRequestAllocationResult => ({
      request: device,
      driver: DRIVER,
      pool: POOL,
      device,
      ...(tolerations && { tolerations }),
    }));
    return claims.updateStatus({ ...created, status: { allocation: { devices: { results } }, reservedFor } });
  }

  async reserve(name: string, reservedFor: readonly ResourceClaimConsumerReference[]): Promise<void> {
    const claims = this.#world.client.clientFor<ResourceClaim>(resources.resourceClaims);
    const claim = await claims.get({ namespace: NAMESPACE, name });
    await claims.updateStatus({ ...claim, status: { ...claim.status, reservedFor } });
  }

  /** Names of the pods that are there and not on their way out. */
  async left(): Promise<readonly string[]> {
    await this.#world.run(1_000);
    const { items } = await this.#world.client.clientFor<Pod>(resources.pods).list({});
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name)
      .toSorted();
  }
}

export function forPod(pod: Stored<Pod>): ResourceClaimConsumerReference {
  return consumerOf(pod, "pods");
}

function listed(devices: Devices): NonNullable<ResourceSlice["spec"]["devices"]> {
  return Object.entries(devices).map(([name, taints]) => ({ name, taints }));
}
