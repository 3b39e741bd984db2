import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { until } from "../harness/until.ts";

const LABELS = { app: "daemon" };
const NAME = "daemon";

/**
 * A DaemonSet on three nodes is rolled, back and forth, with all the requests there are: revisions come, are
 * renumbered and go, an orphaned pod and its revision are adopted, another is let go.
 */
export async function daemonSetJourney(client: ClientSet, namespace: string): Promise<void> {
  const daemonSets = client.clientFor<DaemonSet>(resources.daemonSets);
  const pods = client.clientFor<Pod>(resources.pods);
  const ref = { namespace, name: NAME };
  await daemonSets.create({
    metadata: ref,
    spec: {
      revisionHistoryLimit: 1,
      selector: { matchLabels: LABELS },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
      template: {
        metadata: { labels: LABELS },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] },
      },
    },
  });
  const settled = async (): Promise<boolean> => {
    const { metadata, status } = await daemonSets.get(ref);
    return (
      status?.observedGeneration === metadata.generation &&
      status?.updatedNumberScheduled === 3 &&
      status.numberAvailable === 3
    );
  };
  await until("three pods are available", settled);
  for (const image of ["main:2", "main:3", "main:2"]) {
    const body = { spec: { template: { spec: { containers: [{ name: "main", image }] } } } };
    await daemonSets.patch(ref, { type: "strategic", body });
    await until(`pods of ${image} are available`, settled);
  }
  await until("two revisions are left", async () => {
    const { items } = await client.clientFor(resources.controllerRevisions).list({ namespace });
    return items.length === 2;
  });
  const before = await daemonSets.get(ref);
  await daemonSets.delete(ref, { propagationPolicy: "Orphan" });
  const orphaned = async (): Promise<boolean> =>
    (await pods.list({ namespace })).items.every((pod) => controllerOf(pod) === undefined);
  await until("the pods are orphans", orphaned);
  await until(
    "their DaemonSet is gone",
    async () => (await daemonSets.list({ namespace })).items.length === 0,
  );
  await until("its name is free", async () => (await daemonSets.list({ namespace })).items.length === 0);
  const { spec } = before;
  await daemonSets.create({ metadata: ref, ...(spec && { spec }) });
  await until("they are adopted", settled);
  const [stray] = (await pods.list({ namespace })).items;
  const name = stray?.metadata.name ?? "";
  await pods.patch({ namespace, name }, { type: "merge", body: { metadata: { labels: { app: "stray" } } } });
  await until("one is let go, and replaced", async () => {
    const { items } = await pods.list({ namespace });
    return items.length === 4 && items.filter((pod) => controllerOf(pod) === undefined).length === 1;
  });
}
