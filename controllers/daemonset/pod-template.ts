import type { Affinity, PodSpec, PodTemplateSpec, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import { REVISION_HASH, TEMPLATE_GENERATION } from "./daemon-set.ts";
import type { CachedPod } from "./fields.ts";

/** The field that a daemon pod's affinity names its node by. */
const NODE_NAME_FIELD = "metadata.name";

/** Taints that daemon pods tolerate: they have to run on such a node, or are there to mend it. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** Tolerated by daemon pods on the network of their node: they need no other, and may provide one. */
const HOST_NETWORK_TOLERATION: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

/** The template's tolerations and those that every daemon pod has. One of the latter replaces an equal one in place. */
export function daemonTolerations(spec: Pick<PodSpec, "tolerations" | "hostNetwork">): readonly Toleration[] {
  const added =
    spec.hostNetwork === true ? [...DAEMON_TOLERATIONS, HOST_NETWORK_TOLERATION] : DAEMON_TOLERATIONS;
  return added.reduce(withToleration, spec.tolerations ?? []);
}

function withToleration(tolerations: readonly Toleration[], added: Toleration): readonly Toleration[] {
  if (!tolerations.some((each) => isAlike(each, added))) return [...tolerations, added];
  return tolerations.map((each) => (isAlike(each, added) ? added : each));
}

/** Whether the two are equal, tolerationSeconds aside. */
function isAlike(one: Toleration, other: Toleration): boolean {
  return (
    (one.key ?? "") === (other.key ?? "") &&
    (one.effect ?? "") === (other.effect ?? "") &&
    (one.operator ?? "") === (other.operator ?? "") &&
    (one.value ?? "") === (other.value ?? "")
  );
}

/** What all new pods of a DaemonSet have in common. */
export function daemonPodTemplate(
  template: PodTemplateSpec,
  generation: string | undefined,
  hash: string,
): PodTemplateSpec {
  const spec: PodSpec = template.spec ?? { containers: [] };
  return {
    ...template,
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        ...(generation !== undefined && { [TEMPLATE_GENERATION]: generation }),
        ...(hash !== "" && { [REVISION_HASH]: hash }),
      },
    },
    spec: { ...spec, tolerations: daemonTolerations(spec) },
  };
}

/** The template for the pod of one node: the scheduler can bind it to no other node. */
export function pinnedToNode(template: PodTemplateSpec, node: string): PodTemplateSpec {
  const spec: PodSpec = template.spec ?? { containers: [] };
  return { ...template, spec: { ...spec, affinity: affinityToNode(spec.affinity, node) } };
}

/** Replaces what the affinity requires of nodes: the node was chosen because it meets that. */
export function affinityToNode(affinity: Affinity | undefined, node: string): Affinity {
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: NODE_NAME_FIELD, operator: "In", values: [node] }] }],
      },
    },
  };
}

/** The node that a pod is on, or is meant for while it waits for the scheduler; undefined when it does not say. */
export function targetNode(spec: CachedPod["spec"]): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const term of required?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values = [] } of term.matchFields ?? []) {
      if (key !== NODE_NAME_FIELD || operator !== "In") continue;
      return values.length === 1 ? values[0] : undefined;
    }
  }
  return undefined;
}
