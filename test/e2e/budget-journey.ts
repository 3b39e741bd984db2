import type { ApiObject } from "../../pkg/api/object.ts";
import { hasCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";
import { createDefinition } from "../integration/controllers/custom-resources.ts";

/**
 * Budgets over the pods of a Deployment, and of a custom resource, whose scale has to be asked for; a pod that is said
 * to be evicted, and is not.
 */
export async function budgetJourney(client: ClientSet, namespace: string): Promise<void> {
  const budgets = client.clientFor<PodDisruptionBudget>(resources.podDisruptionBudgets);
  const pods = client.clientFor<Pod>(resources.pods);
  const allows = async (name: string, expected: number, allowed: number): Promise<void> => {
    await until(`${name} allows ${allowed} of ${expected}`, async () => {
      const { status } = await budgets.get({ namespace, name });
      return status?.expectedPods === expected && status.disruptionsAllowed === allowed;
    });
  };
  const create = async (name: string): Promise<void> => {
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: name } } };
    await budgets.create({ metadata: { name, namespace }, spec });
  };

  const deployments = new Deployments(client, namespace);
  await deployments.create("web", 3);
  await create("web");
  await allows("web", 3, 1);

  const subresources = {
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  };
  const kind = await createDefinition(client, "Namespaced", "fleets", subresources);
  const fleet = { metadata: { name: "fleet", namespace }, spec: { replicas: 1 } } as ApiObject;
  const { metadata } = await client.dynamic(kind).create(fleet);
  const owner = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    name: "fleet",
    uid: metadata.uid ?? "",
  };
  await create("fleet");
  await pods.create({
    metadata: {
      name: "ship",
      namespace,
      labels: { app: "fleet" },
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] },
  });
  await allows("fleet", 1, 1);

  const [pod] = (await pods.list({ namespace, labelSelector: "app=web" })).items;
  const lastTransitionTime = formatTime(realClock.nowMs() - 3 * 60_000);
  const announced = { type: "DisruptionTarget", status: "True", reason: "Test", lastTransitionTime };
  const ref = { namespace, name: pod?.metadata.name ?? "" };
  const body = { status: { conditions: [announced] } };
  await pods.patch(ref, { type: "strategic", body }, { subresource: "status" });
  await until("the eviction that did not come is taken back", async () => {
    const { status } = await pods.get(ref);
    return hasCondition(status?.conditions, "DisruptionTarget", "False");
  });
}
