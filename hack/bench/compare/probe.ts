import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { follow } from "./follow.ts";

/** A Deployment of small pods whose template is labelled with its name. */
export function plainDeployment(namespace: string, name: string, replicas: number): Deployment {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "app:v1" }] } },
    },
  };
}

export async function createNamespace(client: ClientSet, name: string): Promise<void> {
  await client.clientFor(resources.namespaces).create({ metadata: { name } });
}

/** Resolves with the first pod of the Deployment's; the Deployment may be there before a manager is. */
export async function firstPod(
  client: ClientSet,
  namespace: string,
  name: string,
  limitMs: number,
): Promise<void> {
  let seen = false;
  const following = follow<Pod>(
    client,
    resources.pods,
    { namespace, labelSelector: `app=${name}` },
    (event) => {
      if (event.type === "ADDED") seen = true;
    },
  );
  try {
    await following.until(`a pod of ${namespace}/${name}`, () => seen, limitMs);
  } finally {
    await following.stop();
  }
}
