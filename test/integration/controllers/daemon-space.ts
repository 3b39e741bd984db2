import { compareInt64 } from "../../../pkg/api/int64.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  ControllerRevision,
  DaemonSet,
  DaemonSetUpdateStrategy,
} from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod, PodSpec, Taint } from "../../../pkg/api/types/core-v1.gen.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import type { TestSpace } from "../../harness/test-space.ts";

type LabelMap = Readonly<Record<string, string>>;
const LABELS: LabelMap = { name: "test" };

export const ON_DELETE: DaemonSetUpdateStrategy = { type: "OnDelete" };

export function rolling(maxUnavailable: number | string): DaemonSetUpdateStrategy {
  return { type: "RollingUpdate", rollingUpdate: { maxUnavailable } };
}

export function surging(maxSurge: number | string): DaemonSetUpdateStrategy {
  return { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge } };
}

/** Pods that are on a node run, and are ready. */
export const ONCE_PLACED = {
  fateOf: (pod: Pod): PodFate | undefined =>
    pod.spec?.nodeName && !isPodTerminal(pod) ? "ready" : undefined,
};

export function daemonSet(
  name: string,
  strategy: DaemonSetUpdateStrategy = ON_DELETE,
  spec: Partial<PodSpec> = {},
): DaemonSet {
  return {
    metadata: { name },
    spec: {
      revisionHistoryLimit: 2,
      selector: { matchLabels: LABELS },
      updateStrategy: strategy,
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: "foo", image: "bar" }], terminationGracePeriodSeconds: 0, ...spec },
      },
    },
  };
}

/** With room for whatever a test puts there. */
export function node(name: string, labels: LabelMap = {}, taints: readonly Taint[] = []): Node {
  return {
    metadata: { name, labels },
    spec: { taints },
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      allocatable: { pods: "100", cpu: "64", memory: "1Ti" },
    },
  };
}

/** Creates the node with its status, which the server takes only afterwards. */
export async function addNode(space: TestSpace, wanted: Node): Promise<void> {
  const nodes = space.client.clientFor<Node>(resources.nodes);
  const created = await nodes.create(wanted);
  if (wanted.status !== undefined) await nodes.updateStatus({ ...created, status: wanted.status });
}

export async function addNodes(
  space: TestSpace,
  first: number,
  count: number,
  labels: LabelMap = {},
): Promise<void> {
  for (let index = first; index < first + count; index++) await addNode(space, node(`node-${index}`, labels));
}

export async function changeNode(
  space: TestSpace,
  name: string,
  change: (node: Node) => Node,
): Promise<void> {
  const nodes = space.client.clientFor<Node>(resources.nodes);
  await nodes.update(change(await nodes.get({ name })));
}

export async function changeTemplate(
  space: TestSpace,
  name: string,
  change: Partial<PodSpec>,
): Promise<DaemonSet> {
  return space.update(resources.daemonSets, name, (owner) => {
    const { template, ...spec } = owner.spec ?? { selector: {}, template: {} };
    const containers = template.spec?.containers ?? [];
    return {
      ...owner,
      spec: { ...spec, template: { ...template, spec: { containers, ...template.spec, ...change } } },
    };
  });
}

/** Waits until so many pods are there that have not ended, and the status says that so many are ready. */
export async function untilReady(space: TestSpace, name: string, count: number): Promise<DaemonSet> {
  await untilActive(space, count);
  return space.until(
    `${count} pods of ${name} are ready`,
    async () => space.get(resources.daemonSets, name),
    ({ status }) => status?.numberReady === count,
  );
}

export async function untilActive(space: TestSpace, count: number): Promise<readonly Pod[]> {
  return space.until(
    `${count} pods are there`,
    async () => (await space.pods()).filter((pod) => !isPodTerminal(pod)),
    (pods) => pods.length === count,
  );
}

export async function untilUpdated(space: TestSpace, name: string, count: number): Promise<DaemonSet> {
  return space.until(
    `${count} pods of ${name} are of its template`,
    async () => space.get(resources.daemonSets, name),
    ({ metadata, status }) =>
      (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      (status?.updatedNumberScheduled ?? 0) === count,
  );
}

export async function revisionsOf(space: TestSpace): Promise<readonly ControllerRevision[]> {
  const revisions = await space.list<ControllerRevision>(resources.controllerRevisions);
  return revisions.toSorted((one, other) => compareInt64(one.revision, other.revision));
}

/** Nodes are in no namespace: they, and what would be put on the next ones, must not be there for the next test. */
export async function clearNodes(space: TestSpace): Promise<void> {
  const { client, namespace } = space;
  await client.clientFor(resources.daemonSets).deleteCollection({ namespace });
  await client.clientFor(resources.pods).deleteCollection({ namespace }, { gracePeriodSeconds: 0 });
  await client.clientFor(resources.nodes).deleteCollection({});
}
