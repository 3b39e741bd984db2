import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { PartialObject } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod, Taint, Toleration } from "../../../pkg/api/types/core-v1.gen.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { NODE_FAILURE_ANNOTATION } from "../../../pkg/cluster/hollow/node-failure.ts";
import { create, type Operation, patch, pick, storeOf, tolerantly } from "./hands.ts";
import { objectsIn, podsIn } from "./objects.ts";
import { newDeployment, podTemplate } from "./samples.ts";
import type { World } from "./world.ts";

const ZONE = "topology.kubernetes.io/zone";
const ZONES = ["zone-a", "zone-b", "zone-c"];
const TAINTED = "team";
const TTL = "node.alpha.kubernetes.io/ttl";
const OLD_OS = "beta.kubernetes.io/os";
const EXCLUDED = "node.kubernetes.io/exclude-disruption";
/** Of nodes whose users have given them their range, which others may have got by then. */
export const RANGE_GIVEN_ANNOTATION = "simulation/range-given";
/** Nodes that nobody runs have these names. */
const GHOST = "ghost-";
const OF_SYSTEM = "node.kubernetes.io/";
const TROUBLES = ["not-ready", "memory-pressure", "disk-pressure", "not-ready,pid-pressure"];
/** None so short that pods which come to a tainted node go in circles at once, and none in step with the checks. */
const TOLERATED_S = [17, 43, 61, 127];

/** What becomes of nodes, and what users do with them and with the taints that pods tolerate. */
export const nodeOperations: Readonly<Record<string, Operation>> = {
  "a node falls silent": async (world, random) => fail(world, pickNode(world, random), "silent"),
  "a node is not well": async (world, random) =>
    fail(world, pickNode(world, random), pick(random, TROUBLES) ?? ""),
  "a node comes back": async (world, random) => {
    const failing = nodesIn(world).filter(({ metadata }) => metadata.annotations?.[NODE_FAILURE_ANNOTATION]);
    return fail(world, pick(random, failing), null);
  },
  "a node is late": async (world, random) =>
    failFor(world, [pickNode(world, random)], "silent", 12_000 + randomBelow(random, 30_000)),
  "a node is away for a while": async (world, random) =>
    failFor(world, [pickNode(world, random)], "silent", 45_000 + randomBelow(random, 200_000)),
  "a node flaps": flap,
  "a zone falls silent": async (world, random) => {
    const zone = pick(random, ZONES);
    const nodes = nodesIn(world).filter(({ metadata }) => metadata.labels?.[ZONE] === zone);
    return failFor(world, nodes, "silent", 60_000 + randomBelow(random, 300_000));
  },
  "all nodes fall silent": async (world, random) =>
    failFor(world, nodesIn(world), "silent", 60_000 + randomBelow(random, 120_000)),
  "make a node anew": makeAnew,
  "create a node that nobody runs": async (world, random) => {
    const name = `${GHOST}${randomBelow(random, 4)}`;
    const labels = random.next() < 0.7 ? { [ZONE]: pick(random, ZONES) ?? "" } : {};
    return createNode(world, { metadata: { name, labels } });
  },
  "delete a node that nobody runs": async (world, random) => deleteNode(world, pick(random, ghosts(world))),
  "move a node to another zone": async (world, random) =>
    patchNode(world, random, { metadata: { labels: { [ZONE]: pick(random, ZONES) } } }),
  "except a node from disruption": async (world, random) =>
    patchNode(world, random, { metadata: { labels: { [EXCLUDED]: random.next() < 0.5 ? "" : null } } }),
  "write over what controllers say of a node": async (world, random) => {
    const labels = { [OLD_OS]: "plan9" };
    const annotations = { [TTL]: "15" };
    return patchNode(world, random, { metadata: random.next() < 0.5 ? { labels } : { annotations } });
  },
  "give a node a taint": giveTaint,
  "take a node's own taints": async (world, random) => {
    const node = pickNode(world, random);
    return node && setTaints(world, node, systemTaints(node));
  },
  "take all of a node's taints": async (world, random) => {
    const node = pickNode(world, random);
    return node && setTaints(world, node, []);
  },
  "create tolerant deployment": async (world, random) =>
    create(world, resources.deployments, newTolerantDeployment(random)),
  "let a pod tolerate more": tolerateMore,
  "create a pod on a node": async (world, random) => {
    const nodeName = pickNode(world, random)?.metadata.name;
    const { metadata, spec } = podTemplate(random, "pinned");
    const name = `pinned-${randomBelow(random, 1_000)}`;
    const tolerations = newTolerations(random);
    if (nodeName === undefined || spec === undefined) return undefined;
    return create(world, resources.pods, {
      metadata: { ...metadata, name },
      spec: { ...spec, nodeName, tolerations },
    });
  },
};

const nodesIn = (world: World): readonly Node[] => objectsIn<Node>(storeOf(world), resources.nodes);

const isGhost = ({ metadata }: PartialObject): boolean => metadata.name?.startsWith(GHOST) === true;

const ghosts = (world: World): readonly Node[] => nodesIn(world).filter(isGhost);

const pickNode = (world: World, random: Random): Node | undefined => pick(random, nodesIn(world));

const systemTaints = ({ spec }: Node): readonly Taint[] =>
  (spec?.taints ?? []).filter(({ key }) => key.startsWith(OF_SYSTEM));

async function patchNode(world: World, random: Random, body: unknown): Promise<string | undefined> {
  const node = pickNode(world, random);
  return node && `${await patch(world, resources.nodes, node, body)} to ${JSON.stringify(body)}`;
}

async function fail(world: World, node: Node | undefined, how: string | null): Promise<string | undefined> {
  if (node === undefined) return undefined;
  const body = { metadata: { annotations: { [NODE_FAILURE_ANNOTATION]: how } } };
  return `${await patch(world, resources.nodes, node, body)} is ${how ?? "well"}`;
}

/** They are well again afterwards, unless the cluster is looked at before. */
async function failFor(
  world: World,
  nodes: readonly (Node | undefined)[],
  how: string,
  forMs: number,
): Promise<string> {
  const failed = await Promise.all(nodes.map(async (node) => fail(world, node, how)));
  world.clock.setTimer(forMs, () => {
    if (world.usersAreDone) return;
    world.trace?.add("user", `${failed.length} nodes are well again`);
    for (const node of nodes) void fail(world, node, null);
  });
  return `${failed.join(", ")} for ${forMs} ms`;
}

async function flap(world: World, random: Random): Promise<string | undefined> {
  const node = pickNode(world, random);
  const times = 3 + randomBelow(random, 6);
  for (let time = 0; time < times && !world.usersAreDone; time++) {
    const how = pick(random, ["silent", "silent", "not-ready"]) ?? "";
    await fail(world, node, how);
    await sleep(world.clock, 2_000 + randomBelow(random, 80_000), new AbortController().signal);
    if (world.usersAreDone) break;
    await fail(world, node, null);
    await sleep(world.clock, 1_000 + randomBelow(random, 30_000), new AbortController().signal);
  }
  return node && `${node.metadata.name} ${times} times`;
}

/** Another node of the name; with the range that it had, if nobody has that. */
async function makeAnew(world: World, random: Random): Promise<string | undefined> {
  const node = pickNode(world, random);
  if (node === undefined) return undefined;
  const { name = "", labels = {} } = node.metadata;
  const { podCIDR, podCIDRs = [] } = node.spec ?? {};
  const keepsRange = podCIDR !== undefined && random.next() < 0.3;
  const isSilent = random.next() < 0.2;
  await deleteNode(world, node);
  await sleep(world.clock, randomBelow(random, 3_000), new AbortController().signal);
  const isGiven = keepsRange && nodesIn(world).every(({ spec }) => spec?.podCIDR !== podCIDR);
  const annotations = {
    ...(isSilent && { [NODE_FAILURE_ANNOTATION]: "silent" }),
    ...(isGiven && { [RANGE_GIVEN_ANNOTATION]: podCIDR }),
  };
  const spec = isGiven ? { podCIDR, podCIDRs } : {};
  return createNode(world, { metadata: { name, labels, annotations }, spec });
}

async function createNode(world: World, node: Node): Promise<string> {
  return tolerantly(node, async () => void (await world.user.clientFor(resources.nodes).create(node)));
}

async function deleteNode(world: World, node: Node | undefined): Promise<string | undefined> {
  return (
    node && tolerantly(node, async (ref) => void (await world.user.clientFor(resources.nodes).delete(ref)))
  );
}

/** As kubectl does: what was read is written back with one more. */
async function giveTaint(world: World, random: Random): Promise<string | undefined> {
  const node = pickNode(world, random);
  const effect = random.next() < 0.8 ? "NoExecute" : "NoSchedule";
  const timeAdded = formatTime(world.clock.nowMs());
  const taint = { key: TAINTED, value: "other", effect, ...(random.next() < 0.5 && { timeAdded }) };
  const others = (node?.spec?.taints ?? []).filter((each) => each.key !== TAINTED || each.effect !== effect);
  return node && setTaints(world, node, [...others, taint]);
}

async function setTaints(world: World, node: Node, taints: readonly Taint[]): Promise<string> {
  const { resourceVersion } = node.metadata;
  const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  return `${await patch(world, resources.nodes, node, body)} to ${JSON.stringify(taints)}`;
}

/** Pods may get tolerations, and keep those that they have. Where pods are compared with a template, users do not do that. */
async function tolerateMore(world: World, random: Random): Promise<string | undefined> {
  const isCompared = (pod: Pod): boolean =>
    ["StatefulSet", "DaemonSet"].includes(controllerOf(pod)?.kind ?? "");
  const pod = pick(
    random,
    podsIn(storeOf(world)).filter((each) => !isCompared(each)),
  );
  const tolerations = [...(pod?.spec?.tolerations ?? []), ...newTolerations(random)];
  return pod && patch(world, resources.pods, pod, { spec: { tolerations } });
}

function newTolerantDeployment(random: Random): Deployment {
  const deployment = newDeployment(random);
  const { spec } = deployment;
  const template = spec?.template;
  if (spec === undefined || template?.spec === undefined) return deployment;
  const tolerations = newTolerations(random);
  return {
    ...deployment,
    spec: { ...spec, template: { ...template, spec: { ...template.spec, tolerations } } },
  };
}

function newTolerations(random: Random): readonly Toleration[] {
  const all: readonly Toleration[] = [
    { key: TAINTED, operator: "Equal", value: "other", effect: "NoExecute", ...newSeconds(random) },
    { key: TAINTED, operator: "Equal", value: "mine" },
    { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", ...newSeconds(random) },
    { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", ...newSeconds(random) },
    { operator: "Exists", effect: "NoExecute", ...newSeconds(random) },
  ];
  return all.filter(() => random.next() < 0.4);
}

/** How long a taint is tolerated; for ever when left out. */
function newSeconds(random: Random): Pick<Toleration, "tolerationSeconds"> {
  return random.next() < 0.3 ? {} : { tolerationSeconds: pick(random, TOLERATED_S) ?? 61 };
}

/** Nodes that nobody runs go; all others are well, and users take back the taints that they gave. */
export async function repairNodes(world: World): Promise<void> {
  for (const node of ghosts(world)) await deleteNode(world, node);
  for (const node of nodesIn(world)) {
    const { unschedulable, taints } = node.spec ?? {};
    const kept = systemTaints(node);
    if (node.metadata.annotations?.[NODE_FAILURE_ANNOTATION] !== undefined) await fail(world, node, null);
    if (unschedulable === true || (taints ?? []).length !== kept.length)
      await patch(world, resources.nodes, node, {
        spec: { unschedulable: null, taints: kept.length === 0 ? null : kept },
      });
  }
}
