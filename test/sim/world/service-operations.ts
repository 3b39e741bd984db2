import type { ApiObject } from "../../../pkg/api/object.ts";
import { isPodActive } from "../../../pkg/api/pod.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Endpoints, Node, Pod, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import type { PodDisruptionBudget } from "../../../pkg/api/types/policy-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { create, type Operation, patch, patchPodStatus, pick, remove, storeOf, tolerantly } from "./hands.ts";
import { objectsIn, podsIn } from "./objects.ts";
import type { World } from "./world.ts";

/** Apps of the other samples. */
const APPS = ["web-0", "web-1", "set-0", "db-a", "db-b", "agent-0"];
const AMOUNTS = [0, 1, 2, 3, "25%", "50%", "100%"];

/** What users do with Services and their endpoints, and with budgets. */
export const serviceOperations: Readonly<Record<string, Operation>> = {
  "create service": async (world, random) => create(world, resources.services, newService(random)),
  "delete service": async (world, random) =>
    remove(world, resources.services, pick(random, all<Service>(world, resources.services)), random),
  "change selector of service": async (world, random) => {
    const app = random.next() < 0.3 ? null : pick(random, APPS);
    return patchService(world, random, { selector: app === null ? null : { app } });
  },
  "change ports of service": async (world, random) =>
    patchService(world, random, {
      ports: [{ name: "http", port: 80, targetPort: 8080 + randomBelow(random, 3) }],
    }),
  "publish pods that are not ready": async (world, random) =>
    patchService(world, random, { publishNotReadyAddresses: random.next() < 0.5 }),
  "write endpoints": async (world, random) =>
    create(world, resources.endpoints, newEndpoints(random, serviceName(random))),
  "change endpoints": async (world, random) => {
    const endpoints = pick(random, all<Endpoints>(world, resources.endpoints).filter(isOwn));
    const { subsets } = newEndpoints(random, "");
    return endpoints && patch(world, resources.endpoints, endpoints, { subsets });
  },
  "delete endpoints": async (world, random) =>
    remove(world, resources.endpoints, pick(random, all<Endpoints>(world, resources.endpoints)), random),
  "delete a slice": async (world, random) =>
    remove(
      world,
      resources.endpointSlices,
      pick(random, all<EndpointSlice>(world, resources.endpointSlices)),
      random,
    ),
  "empty a slice": async (world, random) => {
    const slice = pick(random, all<EndpointSlice>(world, resources.endpointSlices));
    return slice && patch(world, resources.endpointSlices, slice, { endpoints: [] });
  },
  "make a pod unready": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)).filter(isPodActive));
    const conditions = (pod?.status?.conditions ?? []).map((condition) =>
      condition.type === "Ready" ? { ...condition, status: "False" } : condition,
    );
    return pod && patchPodStatus(world, pod, { status: { conditions } });
  },
  "create budget": async (world, random) => create(world, resources.podDisruptionBudgets, newBudget(random)),
  "change budget": async (world, random) => {
    const budget = pick(random, all<PodDisruptionBudget>(world, resources.podDisruptionBudgets));
    const { minAvailable = null, maxUnavailable = null } = newBudget(random).spec ?? {};
    return (
      budget &&
      patch(world, resources.podDisruptionBudgets, budget, { spec: { minAvailable, maxUnavailable } })
    );
  },
  "delete budget": async (world, random) => {
    const budget = pick(random, all<PodDisruptionBudget>(world, resources.podDisruptionBudgets));
    return remove(world, resources.podDisruptionBudgets, budget, random);
  },
  "evict a pod": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)));
    return pod && evict(world, pod);
  },
  "drain by evictions": async (world, random) => {
    const node = pick(random, all<Node>(world, resources.nodes))?.metadata.name;
    const pods = podsIn(storeOf(world)).filter(({ spec }) => spec?.nodeName === node);
    const evicted = await Promise.all(pods.map(async (pod) => evict(world, pod)));
    return `${node ?? ""}: ${evicted.join(", ")}`;
  },
};

function all<T extends ApiObject>(world: World, resource: TypedResource<T>): readonly T[] {
  return objectsIn<T>(storeOf(world), resource);
}

/** Nobody is told of changes to those that a controller keeps. */
function isOwn({ metadata }: Endpoints): boolean {
  return metadata.labels?.["endpoints.kubernetes.io/managed-by"] === undefined;
}

async function evict(world: World, pod: Pod): Promise<string> {
  return tolerantly(pod, async ({ namespace = "", name }) => {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
    await world.user.clientFor(resources.pods).createSubresource({ namespace, name }, "eviction", body);
  });
}

const serviceName = (random: Random): string => `svc-${randomBelow(random, 3)}`;

export function newService(random: Random): Service {
  const app = pick(random, APPS) ?? "";
  return {
    metadata: { name: serviceName(random) },
    spec: {
      ...(random.next() < 0.75 && { selector: { app } }),
      ...(random.next() < 0.3 && { clusterIP: "None" }),
      ...(random.next() < 0.2 && { publishNotReadyAddresses: true }),
      ports: [{ name: "http", port: 80, targetPort: 8080 }],
    },
  };
}

export function newEndpoints(random: Random, name: string): Endpoints {
  const addresses = Array.from({ length: 1 + randomBelow(random, 4) }, (_, index) => ({
    ip: `192.168.0.${1 + index * 3 + randomBelow(random, 3)}`,
  }));
  return { metadata: { name }, subsets: [{ addresses, ports: [{ name: "http", port: 80 }] }] };
}

export function newBudget(random: Random): PodDisruptionBudget {
  const app = pick(random, APPS) ?? "";
  const amount = AMOUNTS[randomBelow(random, AMOUNTS.length)] ?? 1;
  return {
    metadata: { name: `budget-${app}` },
    spec: {
      selector: { matchLabels: { app } },
      ...(random.next() < 0.5 ? { minAvailable: amount } : { maxUnavailable: amount }),
    },
  };
}

async function patchService(world: World, random: Random, spec: unknown): Promise<string | undefined> {
  const service = pick(random, all<Service>(world, resources.services));
  return service && `${await patch(world, resources.services, service, { spec })} to ${JSON.stringify(spec)}`;
}
