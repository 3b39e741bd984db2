import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from "../../../pkg/api/types/autoscaling-v2.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { SCRIPT_ANNOTATION } from "../../../pkg/cluster/hollow/script.ts";
import { create, type Operation, patch, pick, remove, storeOf, tolerantly } from "./hands.ts";
import { deploymentsIn, objectsIn } from "./objects.ts";
import { NAMESPACE, type World } from "./world.ts";

/** Each pod asks for a tenth of a core, of which it is to use half. */
export const TARGET_MILLI = 50;
const MOST_PODS = 9;
/** More than there ever are of one target. */
export const ALL_PODS = 2 * MOST_PODS;
const WINDOWS = [0, 30, 60, 120, 240];
const PERIODS = [15, 60, 120];
const PREFIX = "auto-";
/** How quick pods are ready. */
const SCRIPTS = [undefined, undefined, "sleep 3; ready; run", "sleep 25; ready; run"];

export function autoscalersIn(world: World): readonly HorizontalPodAutoscaler[] {
  return objectsIn<HorizontalPodAutoscaler>(storeOf(world), resources.horizontalPodAutoscalers);
}

const scaledIn = (world: World): readonly Deployment[] =>
  deploymentsIn(storeOf(world)).filter(({ metadata }) => metadata.name?.startsWith(PREFIX));

export const autoscalerOperations: Readonly<Record<string, Operation>> = {
  "create autoscaled deployment": async (world, random) => {
    const name = `${PREFIX}${randomBelow(random, 3)}`;
    loadOf(world, name, random);
    const made = await create(world, resources.deployments, newDeployment(random, name));
    return `${made}, ${await create(world, resources.horizontalPodAutoscalers, newAutoscaler(random, name, name))}`;
  },
  "create autoscaler": async (world, random) => {
    const target = `${PREFIX}${randomBelow(random, 3)}`;
    return create(world, resources.horizontalPodAutoscalers, newAutoscaler(random, target, target));
  },
  "create a second autoscaler": async (world, random) => {
    const target = `${PREFIX}${randomBelow(random, 3)}`;
    const second = newAutoscaler(random, `${target}-b`, target);
    // As long as there are two nothing is scaled.
    later(world, 20_000 + randomBelow(random, 60_000), () => {
      const there = autoscalersIn(world).find(({ metadata }) => metadata.name === second.metadata.name);
      void remove(world, resources.horizontalPodAutoscalers, there, random);
    });
    return create(world, resources.horizontalPodAutoscalers, second);
  },
  "delete autoscaler": async (world, random) =>
    remove(world, resources.horizontalPodAutoscalers, pick(random, autoscalersIn(world)), random),
  "change autoscaler": async (world, random) => {
    const autoscaler = pick(random, autoscalersIn(world));
    const { spec } = newAutoscaler(random, "", "");
    const body = { spec: { minReplicas: spec.minReplicas, maxReplicas: spec.maxReplicas } };
    return autoscaler && patch(world, resources.horizontalPodAutoscalers, autoscaler, body);
  },
  "change behavior": async (world, random) => {
    const autoscaler = pick(random, autoscalersIn(world));
    const body = { spec: { behavior: newBehavior(random) ?? null } };
    return autoscaler && patch(world, resources.horizontalPodAutoscalers, autoscaler, body);
  },
  "change load": async (world, random) => loadOf(world, `${PREFIX}${randomBelow(random, 3)}`, random),
  "let load flap": async (world, random) => {
    const name = `${PREFIX}${randomBelow(random, 3)}`;
    const times = 2 + randomBelow(random, 8);
    for (let index = 1; index <= times; index++)
      later(world, index * (2_000 + randomBelow(random, 30_000)), () => void loadOf(world, name, random));
    return `${name} ${times} times`;
  },
  "let load jump": async (world, random) => {
    const name = `${PREFIX}${randomBelow(random, 3)}`;
    const [little, much] = [TARGET_MILLI, MOST_PODS * TARGET_MILLI];
    const [upMs, downMs] = [60_000 + randomBelow(random, 60_000), 90_000 + randomBelow(random, 120_000)];
    const set = (milli: number) => (): void => setLoad(world, name, milli);
    set(little)();
    later(world, upMs, set(much));
    later(world, upMs + downMs, set(little));
    return name;
  },
  "lose some metrics": async (world, random) => {
    const name = `${PREFIX}${randomBelow(random, 3)}`;
    const unmeasured = 1 + randomBelow(random, 4);
    world.metrics.change(NAMESPACE, selectorOf(name), { unmeasured });
    later(world, 5_000 + randomBelow(random, 120_000), () =>
      world.metrics.change(NAMESPACE, selectorOf(name), { unmeasured: 0 }),
    );
    return `${name}: ${unmeasured} pods are not measured`;
  },
  "lose all metrics": async (world, random) => {
    const name = `${PREFIX}${randomBelow(random, 3)}`;
    world.metrics.change(NAMESPACE, selectorOf(name), { unmeasured: ALL_PODS });
    later(world, 5_000 + randomBelow(random, 120_000), () =>
      world.metrics.change(NAMESPACE, selectorOf(name), { unmeasured: 0 }),
    );
    return name;
  },
  "metrics API away": async (world, random) => {
    const outage = pick(random, [404, 500, 503]) ?? 503;
    world.metrics.away(outage);
    later(world, 5_000 + randomBelow(random, 120_000), () => world.metrics.away(undefined));
    return `answers ${outage}`;
  },
  "scale autoscaled deployment": async (world, random) => {
    const deployment = pick(random, scaledIn(world));
    const replicas = randomBelow(random, MOST_PODS + 2);
    const done =
      deployment && (await patch(world, resources.deployments, deployment, { spec: { replicas } }));
    return done && `${done} to ${replicas}`;
  },
  "delete autoscaled deployment": async (world, random) =>
    remove(world, resources.deployments, pick(random, scaledIn(world)), random),
};

const ofAutoscalers = Object.keys(autoscalerOperations);

/** Load that changes, and whoever is to follow it. */
export const autoscalerArea = {
  first: "create autoscaled deployment",
  names: [
    ...ofAutoscalers,
    ...Array.from({ length: 5 }, () => "change load"),
    ...Array.from({ length: 3 }, () => "let load jump"),
    "create autoscaled deployment",
    "create autoscaled deployment",
    "create autoscaled deployment",
    "change behavior",
    "let load flap",
    "let load flap",
    "delete a pod",
    "delete a pod by force",
    "fail a pod",
  ],
};

/** Everything is measured again, and every autoscaler has a target of its own: two may want different things for ever. */
export async function repairAutoscalers(world: World): Promise<void> {
  world.metrics.away(undefined);
  for (let index = 0; index < 3; index++)
    world.metrics.change(NAMESPACE, selectorOf(`${PREFIX}${index}`), { unmeasured: 0 });
  const staying = scaledIn(world).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const targets = new Set(staying.map(({ metadata }) => metadata.name));
  for (const { metadata } of autoscalersIn(world))
    if (!targets.has(metadata.name))
      await tolerantly({ metadata }, async (ref) => {
        await world.user.clientFor(resources.horizontalPodAutoscalers).delete(ref);
      });
}

export function selectorOf(name: string): string {
  return `app=${name}`;
}

/** What users are done with happens no more. */
function later(world: World, afterMs: number, act: () => void): void {
  world.clock.setTimer(afterMs, () => {
    if (!world.usersAreDone) act();
  });
}

function loadOf(world: World, name: string, random: Random): string {
  const milli = randomBelow(random, (MOST_PODS + 2) * TARGET_MILLI);
  setLoad(world, name, milli);
  return `${name} uses ${milli}m`;
}

function setLoad(world: World, name: string, milli: number): void {
  world.metrics.change(NAMESPACE, selectorOf(name), { cpu: { main: milli }, ofReady: true });
  world.trace?.add("load", `${name} uses ${milli}m`);
}

function newDeployment(random: Random, name: string): Deployment {
  const script = pick(random, SCRIPTS);
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: 1 + randomBelow(random, MOST_PODS),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(script !== undefined && { annotations: { [SCRIPT_ANNOTATION]: script } }) },
        spec: {
          terminationGracePeriodSeconds: 2,
          containers: [{ name: "main", image: "app:1", resources: { requests: { cpu: "100m" } } }],
        },
      },
    },
  };
}

function newAutoscaler(random: Random, name: string, target: string): HorizontalPodAutoscaler {
  const minReplicas = 1 + randomBelow(random, 3);
  const behavior = newBehavior(random);
  return {
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: target },
      minReplicas,
      maxReplicas:
        random.next() < 0.5 ? MOST_PODS : minReplicas + randomBelow(random, MOST_PODS - minReplicas + 1),
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
      ...(behavior && { behavior }),
    },
  };
}

function newBehavior(random: Random): HorizontalPodAutoscalerBehavior | undefined {
  if (random.next() < 0.3) return undefined;
  return {
    ...(random.next() < 0.7 && { scaleDown: newRules(random) }),
    ...(random.next() < 0.6 && { scaleUp: newRules(random) }),
  };
}

function newRules(random: Random): HPAScalingRules {
  const count = 1 + randomBelow(random, 2);
  return {
    stabilizationWindowSeconds: pick(random, WINDOWS) ?? 0,
    selectPolicy: pick(random, ["Max", "Max", "Min", "Min", "Disabled"]) ?? "Max",
    policies: Array.from({ length: count }, () =>
      random.next() < 0.6
        ? { type: "Pods", value: 1 + randomBelow(random, 3), periodSeconds: pick(random, PERIODS) ?? 15 }
        : {
            type: "Percent",
            value: 10 + randomBelow(random, 190),
            periodSeconds: pick(random, PERIODS) ?? 15,
          },
    ),
  };
}
