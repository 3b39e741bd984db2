import { resources } from "../../../pkg/api/resources.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type {
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from "../../../pkg/api/types/resource-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { DEVICES_ANNOTATION } from "../../../pkg/cluster/hollow/device-annotation.ts";
import { create, type Operation, patch, patchPodStatus, pick, storeOf, tolerantly } from "./hands.ts";
import { objectsIn, podsIn } from "./objects.ts";
import { podTemplate } from "./samples.ts";
import type { World } from "./world.ts";

const DRIVER = "gpu.example.com";
const CLASS = "gpu";
export const BROKEN = "broken";
/** What claims of these templates ask for, and whether they stay when their device breaks. */
const TEMPLATES = ["plain", "tolerant"] as const;

/** Devices that come, break and go, and pods with claims of them. */
export const deviceOperations: Readonly<Record<string, Operation>> = {
  "offer devices": async (world, random) => {
    await create(world, resources.deviceClasses, { metadata: { name: CLASS }, spec: {} });
    for (const name of TEMPLATES) await createTemplate(world, name);
    const nodes = objectsIn<Node>(storeOf(world), resources.nodes);
    for (const node of nodes) await offer(world, node, `${DRIVER}=${1 + randomBelow(random, 3)}`);
    return `${nodes.length} nodes have some`;
  },
  "change the devices of a node": async (world, random) => {
    const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes));
    const count = randomBelow(random, 4);
    return node && offer(world, node, count === 0 ? null : `${DRIVER}=${count}`);
  },
  "create a claim template": async (world, random) =>
    createTemplate(world, pick(random, TEMPLATES) ?? TEMPLATES[0]),
  "delete a claim template": async (world, random) => {
    const template = pick(
      random,
      objectsIn<ResourceClaimTemplate>(storeOf(world), resources.resourceClaimTemplates),
    );
    return (
      template &&
      tolerantly(
        template,
        async (ref) => void (await world.user.clientFor(resources.resourceClaimTemplates).delete(ref)),
      )
    );
  },
  "create a pod with claims": async (world, random) =>
    createUser(world, random, `user-${randomBelow(random, 6)}`),
  "create a shared claim": async (world, random) => {
    const name = `shared-${randomBelow(random, 2)}`;
    const spec = claimSpec(pick(random, TEMPLATES) ?? TEMPLATES[0]);
    return create<ResourceClaim>(world, resources.resourceClaims, { metadata: { name }, spec });
  },
  "delete a claim of devices": async (world, random) => {
    const claim = pick(random, objectsIn<ResourceClaim>(storeOf(world), resources.resourceClaims));
    return (
      claim &&
      tolerantly(
        claim,
        async (ref) => void (await world.user.clientFor(resources.resourceClaims).delete(ref)),
      )
    );
  },
  "delete a pod with claims": async (world, random) => removeUser(world, random, pickUser(world, random)),
  "finish a pod with claims": async (world, random) => {
    const pod = pickUser(world, random);
    const phase = random.next() < 0.5 ? "Succeeded" : "Failed";
    // What its kubelet has on the way says that it runs.
    const runs = pod?.status?.phase === "Running";
    return runs ? patchPodStatus(world, pod, { status: { phase } }) : undefined;
  },
  "make a pod with claims anew": async (world, random) => {
    const pod = pickUser(world, random);
    if (pod === undefined) return undefined;
    await removeUser(world, random, pod);
    return createUser(world, random, pod.metadata.name ?? "");
  },
  "break devices": async (world, random) =>
    taint(world, random, random.next() < 0.8 ? "NoExecute" : "NoSchedule"),
  "mend devices": async (world, random) => taint(world, random, undefined),
};

async function offer(world: World, node: Node, devices: string | null): Promise<string> {
  const said = await patch(world, resources.nodes, node, {
    metadata: { annotations: { [DEVICES_ANNOTATION]: devices } },
  });
  return `${said}: ${devices ?? "none"}`;
}

function claimSpec(name: (typeof TEMPLATES)[number]): ResourceClaimSpec {
  const tolerations = name === "tolerant" ? [{ key: BROKEN, operator: "Exists" }] : [];
  return { devices: { requests: [{ name: "r", exactly: { deviceClassName: CLASS, tolerations } }] } };
}

async function createTemplate(world: World, name: (typeof TEMPLATES)[number]): Promise<string> {
  const spec = { spec: claimSpec(name) };
  return create<ResourceClaimTemplate>(world, resources.resourceClaimTemplates, { metadata: { name }, spec });
}

async function createUser(world: World, random: Random, name: string): Promise<string | undefined> {
  const { metadata, spec } = podTemplate(random, "user");
  const resourceClaims = Array.from({ length: 1 + randomBelow(random, 2) }, (_, index) =>
    random.next() < 0.7
      ? { name: `c-${index}`, resourceClaimTemplateName: pick(random, TEMPLATES) ?? TEMPLATES[0] }
      : { name: `c-${index}`, resourceClaimName: `shared-${randomBelow(random, 2)}` },
  );
  if (spec === undefined) return undefined;
  return create<Pod>(world, resources.pods, {
    metadata: { ...metadata, name },
    spec: { ...spec, resourceClaims },
  });
}

function pickUser(world: World, random: Random): Pod | undefined {
  return pick(
    random,
    podsIn(storeOf(world)).filter(({ spec }) => (spec?.resourceClaims ?? []).length > 0),
  );
}

async function removeUser(world: World, random: Random, pod: Pod | undefined): Promise<string | undefined> {
  const options = random.next() < 0.5 ? { gracePeriodSeconds: 0 } : {};
  return (
    pod &&
    tolerantly(pod, async (ref) => void (await world.user.clientFor(resources.pods).delete(ref, options)))
  );
}

async function taint(world: World, random: Random, effect: string | undefined): Promise<string | undefined> {
  const slice = pick(random, objectsIn<ResourceSlice>(storeOf(world), resources.resourceSlices));
  if (slice === undefined) return undefined;
  const devices = (slice.spec.devices ?? []).map((device) =>
    random.next() < 0.5
      ? device
      : { ...device, taints: effect === undefined ? [] : [{ key: BROKEN, effect }] },
  );
  return patch(world, resources.resourceSlices, slice, { spec: { devices } });
}

/** Pods whose template is missing would wait for it, and say so, without end. */
export async function repairDevices(world: World): Promise<void> {
  if (objectsIn(storeOf(world), resources.deviceClasses).length === 0) return;
  for (const name of TEMPLATES) await createTemplate(world, name);
}
