import { afterEach, expect, test } from "vitest";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { registry } from "../../cmd/kube-controller-manager/registry.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { isNodeReady } from "../../pkg/api/node.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";

const MINUTE = 60_000;
const labels = { app: "web" };
const deployment: Deployment = {
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "main" }] } },
  },
};

let clock: VirtualClock;
let cluster: EmbeddedCluster;
afterEach(async () => finished(cluster.stop()));

async function finished<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => (isDone = true));
  watched.catch(() => undefined);
  await clock.runUntil(() => isDone, MINUTE);
  return watched;
}

// As `kcm up` has it: the controllers, a scheduler and hollow nodes, and what a person does with kubectl annotate.
test("the pods of a node that falls silent come back elsewhere after five minutes, and the node is well when it comes back", async () => {
  clock = new VirtualClock();
  const controllers = registry(resolveOptions([], () => "").options, { rootCa: () => "a certificate" });
  cluster = await EmbeddedCluster.start({ clock, random: seededRandom(1), controllers, nodes: 3 });
  const { clientFor } = cluster.client("admin");
  const nodes = clientFor<Node>(resources.nodes);
  const fail = async (how: string | null): Promise<void> => {
    const body = { metadata: { annotations: { "kcm.dev/fails": how } } };
    await finished(nodes.patch({ name: "node-0" }, { type: "merge", body }));
  };
  const pods = async (): Promise<readonly Pod[]> =>
    (await finished(clientFor<Pod>(resources.pods).list({ namespace: "default" }))).items;
  const node = async (): Promise<Node> => finished(nodes.get({ name: "node-0" }));
  const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

  await finished(clientFor<Deployment>(resources.deployments).create(deployment));
  await clock.advanceBy(MINUTE);
  const places = (await pods()).map((pod) => `${pod.spec?.nodeName} ${isPodReady(pod)}`);
  expect(new Set(places)).toEqual(new Set(["node-0 true", "node-1 true", "node-2 true"]));

  await fail("silent");
  await clock.advanceBy(1.5 * MINUTE);
  const taints = (await node()).spec?.taints?.map(({ key, effect }) => `${key}:${effect}`);
  expect(taints?.toSorted()).toEqual([
    "node.kubernetes.io/unreachable:NoExecute",
    "node.kubernetes.io/unreachable:NoSchedule",
  ]);
  await clock.advanceBy(4 * MINUTE);
  expect((await pods()).filter(isGoing)).toEqual([]);
  await clock.advanceBy(MINUTE);
  const all = await pods();
  expect(all.filter(isGoing).map(({ spec }) => spec?.nodeName)).toEqual(["node-0"]);
  const others = all.filter((pod) => !isGoing(pod));
  expect(others.map((pod) => isPodReady(pod) && pod.spec?.nodeName !== "node-0")).toEqual([true, true, true]);

  await fail(null);
  await clock.advanceBy(0.5 * MINUTE);
  const back = await node();
  expect([isNodeReady(back), back.spec?.taints ?? []]).toEqual([true, []]);
  expect(await pods()).toHaveLength(3);
});
