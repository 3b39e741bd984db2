import { isPodActive } from "../../../pkg/api/pod.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { DaemonSet, DaemonSetSpec } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { create, type Operation, patch, patchPodStatus, pick, storeOf, tolerantly } from "./hands.ts";
import { objectsIn, podsIn } from "./objects.ts";
import { BAD_IMAGE, hasBadImage, pickImage, pickScript, podTemplate } from "./samples.ts";
import type { World } from "./world.ts";

type Strategy = NonNullable<DaemonSetSpec["updateStrategy"]>;

/** As with StatefulSets. */
const STRAGGLERS_MS = 120_000;
const DISK = "disk";
const TAINTED = "team";
const AMOUNTS = [1, 1, 2, "50%", "100%"];

/** What users do with DaemonSets, and with the nodes that these follow. */
export const daemonOperations: Readonly<Record<string, Operation>> = {
  "create daemon set": async (world, random) => create(world, resources.daemonSets, newDaemonSet(random)),
  // Not as orphans: the generation of the template is in the labels of pods, and says the same of another DaemonSet.
  "delete daemon set": async (world, random) => {
    const daemonSet = pick(random, daemonSetsIn(world));
    const propagationPolicy = random.next() < 0.7 ? "Background" : "Foreground";
    return (
      daemonSet &&
      tolerantly(daemonSet, async (ref) => {
        await world.user.clientFor(resources.daemonSets).delete(ref, { propagationPolicy });
      })
    );
  },
  "set image of daemon set": async (world, random) => setTemplate(world, random, pickImage(random)),
  "set a bad image of daemon set": async (world, random) => setTemplate(world, random, BAD_IMAGE),
  "change strategy of daemon set": async (world, random) => {
    const { type, rollingUpdate } = newStrategy(random);
    return patchSpec(world, random, { updateStrategy: { type, rollingUpdate: rollingUpdate ?? null } });
  },
  "choose nodes of daemon set": async (world, random) => {
    const nodeSelector = random.next() < 0.5 ? null : { [DISK]: "fast" };
    return patchSpec(world, random, { template: { spec: { nodeSelector } } });
  },
  "label a node": async (world, random) => {
    const labels = { [DISK]: random.next() < 0.5 ? "fast" : null };
    return patchNode(world, random, { metadata: { labels } });
  },
  "taint a node": async (world, random) => {
    const effect = random.next() < 0.5 ? "NoSchedule" : "NoExecute";
    return patchNode(world, random, { spec: { taints: [{ key: TAINTED, value: "other", effect }] } });
  },
  "take a node's taints": async (world, random) => patchNode(world, random, { spec: { taints: null } }),
  "delete a daemon pod": async (world, random) => {
    const options = random.next() < 0.3 ? { gracePeriodSeconds: 0 } : {};
    const pod = pick(random, daemonPods(world));
    return (
      pod &&
      tolerantly(pod, async (ref) => {
        await world.user.clientFor(resources.pods).delete(ref, options);
      })
    );
  },
  "fail a daemon pod": async (world, random) => {
    const pod = pick(random, daemonPods(world).filter(isPodActive));
    const body = { status: { phase: "Failed", reason: "Evicted" } };
    return pod && patchPodStatus(world, pod, body);
  },
  "take a daemon pod from its set": async (world, random) => {
    const pod = pick(random, daemonPods(world).filter(isPodActive));
    return pod && patch(world, resources.pods, pod, { metadata: { ownerReferences: null } });
  },
};

const daemonSetsIn = (world: World): readonly DaemonSet[] =>
  objectsIn<DaemonSet>(storeOf(world), resources.daemonSets);

const daemonPods = (world: World): readonly Pod[] =>
  podsIn(storeOf(world)).filter((pod) => controllerOf(pod)?.kind === "DaemonSet");

/** Users take back what cannot come up, and where only they replace pods, they do, some that were under way included. */
export async function repairDaemonSets(world: World): Promise<void> {
  for (const afterMs of [0, STRAGGLERS_MS]) {
    await sleep(world.clock, afterMs, new AbortController().signal);
    for (const daemonSet of daemonSetsIn(world)) {
      const containers = [{ name: "main", image: "app:1" }];
      const body = { spec: { template: { spec: { containers } } } };
      if (hasBadImage(daemonSet.spec?.template?.spec))
        await patch(world, resources.daemonSets, daemonSet, body);
    }
    for (const pod of daemonPods(world).filter(({ spec }) => hasBadImage(spec)))
      await tolerantly(pod, async (ref) => void (await world.user.clientFor(resources.pods).delete(ref)));
  }
}

export function newDaemonSet(random: Random): DaemonSet {
  const name = `agent-${randomBelow(random, 2)}`;
  const template = podTemplate(random, name);
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        ...template,
        spec: {
          ...template.spec,
          containers: template.spec?.containers ?? [],
          ...(random.next() < 0.3 && { nodeSelector: { [DISK]: "fast" } }),
          ...(random.next() < 0.3 && { tolerations: [{ key: TAINTED, operator: "Exists" }] }),
        },
      },
      updateStrategy: newStrategy(random),
      ...(random.next() < 0.3 && { minReadySeconds: 1 + randomBelow(random, 10) }),
      ...(random.next() < 0.5 && { revisionHistoryLimit: randomBelow(random, 3) }),
    },
  };
}

/** Either pods go before others come, or the other way round. */
function newStrategy(random: Random): Strategy {
  if (random.next() < 0.2) return { type: "OnDelete" };
  const amount = AMOUNTS[randomBelow(random, AMOUNTS.length)] ?? 1;
  const rollingUpdate =
    random.next() < 0.5 ? { maxSurge: 0, maxUnavailable: amount } : { maxSurge: amount, maxUnavailable: 0 };
  return { type: "RollingUpdate", rollingUpdate };
}

async function setTemplate(world: World, random: Random, image: string): Promise<string | undefined> {
  const containers = [{ name: "main", image }];
  const annotations = pickScript(random);
  return patchSpec(world, random, { template: { metadata: { annotations }, spec: { containers } } });
}

async function patchSpec(
  world: World,
  random: Random,
  spec: Partial<Record<keyof DaemonSetSpec, unknown>>,
): Promise<string | undefined> {
  const daemonSet = pick(random, daemonSetsIn(world));
  return (
    daemonSet && `${await patch(world, resources.daemonSets, daemonSet, { spec })} to ${JSON.stringify(spec)}`
  );
}

async function patchNode(world: World, random: Random, body: unknown): Promise<string | undefined> {
  const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes));
  return node && `${await patch(world, resources.nodes, node, body)} to ${JSON.stringify(body)}`;
}
