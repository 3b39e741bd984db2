import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";

type Spec = NonNullable<Deployment["spec"]>;

/** Deployments of one small container, in one namespace. */
export class Deployments {
  readonly client: ClientSet;
  readonly namespace: string;
  readonly #client: ResourceClient<Deployment>;
  readonly #replicaSets: ResourceClient<ReplicaSet>;

  constructor(client: ClientSet, namespace: string) {
    this.#client = client.clientFor<Deployment>(resources.deployments);
    this.#replicaSets = client.clientFor<ReplicaSet>(resources.replicaSets);
    this.client = client;
    this.namespace = namespace;
  }

  async create(name: string, replicas: number, more: Partial<Spec> = {}): Promise<void> {
    const labels = { app: name };
    await this.#client.create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: this.namespace },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "main:1" }] },
        },
        ...more,
      },
    });
  }

  async patch(name: string, spec: unknown): Promise<void> {
    const ref = { namespace: this.namespace, name };
    await this.#client.patch(ref, { type: "strategic", body: { spec } });
  }

  /** A new template: the container's image changes. */
  async roll(name: string, image: string): Promise<void> {
    await this.patch(name, { template: { spec: { containers: [{ name: "main", image }] } } });
  }

  async get(name: string): Promise<Deployment> {
    return this.#client.get({ namespace: this.namespace, name });
  }

  async replicaSets(name: string): Promise<readonly ReplicaSet[]> {
    const list = { namespace: this.namespace, labelSelector: `app=${name}` };
    return (await this.#replicaSets.list(list)).items;
  }

  /** Whether the controllers have seen the spec as it is. */
  async isObserved(name: string): Promise<boolean> {
    const { metadata, status } = await this.get(name);
    return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  }

  /** Whether the controllers have nothing left to do for this Deployment, and all of its pods are available. */
  async isComplete(name: string): Promise<boolean> {
    const { metadata, spec, status } = await this.get(name);
    const wanted = spec?.replicas ?? 1;
    return (
      (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      (status?.updatedReplicas ?? 0) === wanted &&
      (status?.replicas ?? 0) === wanted &&
      (status?.availableReplicas ?? 0) === wanted
    );
  }
}
