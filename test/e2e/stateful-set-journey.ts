import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { until } from "../harness/until.ts";

const LABELS = { app: "db" };
const NAME = "db";

/**
 * A StatefulSet with claims is rolled, back and forth, and scaled, with all the requests there are: a pod and a revision
 * are adopted, labels are corrected, claims change their owners, revisions are renumbered and go, a pod is let go.
 */
export async function statefulSetJourney(client: ClientSet, namespace: string): Promise<void> {
  const sets = client.clientFor<StatefulSet>(resources.statefulSets);
  const pods = client.clientFor<Pod>(resources.pods);
  const ref = { namespace, name: NAME };
  const settled = async (): Promise<boolean> => {
    const { metadata, spec, status } = await sets.get(ref);
    const counts = [status?.updatedReplicas, status?.availableReplicas, status?.replicas];
    return (
      status?.observedGeneration === metadata.generation && counts.every((count) => count === spec?.replicas)
    );
  };
  const patch = async (spec: unknown): Promise<void> => {
    await sets.patch(ref, { type: "strategic", body: { spec } });
    await until(`${JSON.stringify(spec)} is done`, settled);
  };
  const created = await sets.create(statefulSet(namespace));
  await until("three pods are available", settled);
  for (const image of ["main:2", "main:3", "main:2"])
    await patch({ template: { spec: { containers: [{ name: "main", image }] } } });
  const revisions = client.clientFor(resources.controllerRevisions);
  await until("two revisions are left", async () => (await revisions.list({ namespace })).items.length === 2);

  await sets.delete(ref, { propagationPolicy: "Orphan" });
  await until("the pods are orphans", async () => {
    const owned = (await pods.list({ namespace })).items.filter((pod) => controllerOf(pod) !== undefined);
    return owned.length === 0 && (await sets.list({ namespace })).items.length === 0;
  });
  await until("its name is free", async () => (await sets.list({ namespace })).items.length === 0);
  await sets.create({ metadata: ref, ...(created.spec && { spec: created.spec }) });
  await until("they are adopted", settled);

  const first = { namespace, name: "db-0" };
  const wrong = { metadata: { labels: { "statefulset.kubernetes.io/pod-name": "other" } } };
  await pods.patch(first, { type: "merge", body: wrong });
  await until("its labels are right again", async () => {
    const { metadata } = await pods.get(first);
    return metadata.labels?.["statefulset.kubernetes.io/pod-name"] === "db-0";
  });
  await pods.patch(first, { type: "merge", body: { metadata: { labels: { app: "stray" } } } });
  await until("a pod is let go", async () => controllerOf(await pods.get(first)) === undefined);
  await pods.delete(first, { gracePeriodSeconds: 0 });
  await until("another takes its place", settled);
  await patch({ replicas: 1 });
}

function statefulSet(namespace: string): StatefulSet {
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Delete" };
  return {
    metadata: { name: NAME, namespace },
    spec: {
      replicas: 3,
      revisionHistoryLimit: 1,
      selector: { matchLabels: LABELS },
      persistentVolumeClaimRetentionPolicy,
      template: {
        metadata: { labels: LABELS },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  };
}
