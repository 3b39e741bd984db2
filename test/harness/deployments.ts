import { resources } from "../../pkg/api/resources.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";

export const TEST_NAMESPACE = "default";

type Spec = NonNullable<Deployment["spec"]>;

/** A Deployment of one small container, in the test's namespace. */
export function deployment(name: string, replicas: number, more: Partial<Spec> = {}): Deployment {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: TEST_NAMESPACE },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] },
      },
      ...more,
    },
  };
}

export async function createDeployment(client: ClientSet, object: Deployment): Promise<void> {
  await client.clientFor(resources.deployments).create(object);
}

export async function patchDeployment(client: ClientSet, name: string, spec: unknown): Promise<void> {
  const ref = { namespace: TEST_NAMESPACE, name };
  await client.clientFor(resources.deployments).patch(ref, { type: "strategic", body: { spec } });
}

/** A new template: the containers' image changes. */
export async function rollDeployment(client: ClientSet, name: string, image: string): Promise<void> {
  await patchDeployment(client, name, { template: { spec: { containers: [{ name: "main", image }] } } });
}

/** Whether the controllers have nothing left to do for this Deployment, and all of its pods are available. */
export async function isComplete(client: ClientSet, name: string): Promise<boolean> {
  const { metadata, spec, status } = await client
    .clientFor(resources.deployments)
    .get({ namespace: TEST_NAMESPACE, name });
  const wanted = spec?.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted
  );
}
