import { CLAIM_FINALIZER, CLAIM_NAME_ANNOTATION, consumerOf } from "../../pkg/api/device-claims.ts";
import type { ObjectMeta, OwnerReference, Stored } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod, PodResourceClaim, PodStatus } from "../../pkg/api/types/core-v1.gen.ts";
import type {
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from "../../pkg/api/types/resource-v1.gen.ts";
import type { V1alpha2PodGroup } from "../../pkg/api/types/scheduling-v1alpha2.gen.ts";
import { bucketName } from "../../pkg/apiserver/server/served-resource.ts";
import { type ControllerWorld, lineOf, NAMESPACE } from "./controller-world.ts";
import { mainContainer } from "./main-container.ts";

/** How pods and groups call their claim, and the template that it is made of. */
export const CLAIM = "acme-resource";
export const TEMPLATE = "my-template";
export const fromTemplate: PodResourceClaim = { name: CLAIM, resourceClaimTemplateName: TEMPLATE };

const NOTHING_ASKED: ResourceClaimSpec = {};

interface PodOptions {
  readonly name?: string;
  readonly claims?: readonly PodResourceClaim[];
  /** The node that it is on. */
  readonly nodeName?: string;
  readonly group?: string;
  readonly status?: PodStatus;
  readonly finalizers?: readonly string[];
}

interface ClaimOptions {
  readonly name?: string;
  readonly namespace?: string;
  /** It was made for this one, under the usual name. */
  readonly madeFor?: { readonly metadata: ObjectMeta };
  readonly isAllocated?: boolean;
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  /** The scheduler has allocated it. */
  readonly isHeld?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Pods, groups and the claims that they have, in a world. */
export class ClaimsInWorld {
  readonly #world: ControllerWorld;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async template(
    spec: ResourceClaimSpec = NOTHING_ASKED,
    metadata: ObjectMeta = {},
  ): Promise<ResourceClaimTemplate> {
    return this.#world.create<ResourceClaimTemplate>(resources.resourceClaimTemplates, {
      metadata: { name: TEMPLATE },
      spec: { metadata, spec },
    });
  }

  async pod(options: PodOptions = {}): Promise<Stored<Pod>> {
    const { name = "web", claims = [fromTemplate], nodeName, group, status, finalizers = [] } = options;
    const created = await this.#world.create<Pod>(resources.pods, {
      metadata: { name, finalizers },
      spec: {
        containers: [mainContainer(status)],
        resourceClaims: claims,
        ...(nodeName !== undefined && { nodeName }),
      },
    });
    if (status !== undefined) await this.podStatus(name, status);
    if (group !== undefined) this.#joinGroup(name, group);
    return created as Stored<Pod>;
  }

  /** Past the API: a server takes groups from pods that are written while the feature is off. */
  #joinGroup(name: string, podGroupName: string): void {
    const { store } = this.#world.server.parts;
    const [bucket, key] = [bucketName("", "pods"), `${NAMESPACE}/${name}`];
    const current = store.get(bucket, key);
    if (current === undefined) throw new Error(`there is no pod ${name}`);
    const { spec } = current as Pod;
    const { resourceVersion: _, ...metadata } = current.metadata;
    const joined: Pod = {
      ...current,
      metadata,
      spec: { containers: [], ...spec, schedulingGroup: { podGroupName } },
    };
    store.put(bucket, key, current, joined);
  }

  async podStatus(name: string, status: PodStatus): Promise<void> {
    const pods = this.#world.client.clientFor<Pod>(resources.pods);
    const pod = await pods.get({ namespace: NAMESPACE, name });
    await pods.updateStatus({ ...pod, status: { ...pod.status, ...status } });
  }

  /** At once, as the kubelet does when its containers have ended. */
  async removePod(name = "web"): Promise<void> {
    await this.#world.client
      .clientFor(resources.pods)
      .delete({ namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
  }

  async group(claims: readonly PodResourceClaim[] = [fromTemplate]): Promise<Stored<V1alpha2PodGroup>> {
    return (await this.#world.create<V1alpha2PodGroup>(resources.podGroups, {
      metadata: { name: "group" },
      spec: { schedulingPolicy: { basic: {} }, resourceClaims: claims },
    })) as Stored<V1alpha2PodGroup>;
  }

  async claim(options: ClaimOptions = {}): Promise<Stored<ResourceClaim>> {
    const { name = "claim", namespace = NAMESPACE, madeFor, isHeld = false, reservedFor = [] } = options;
    const { isAllocated = reservedFor.length > 0 } = options;
    const claims = this.#world.client.clientFor<ResourceClaim>(resources.resourceClaims);
    const made = madeFor && { [CLAIM_NAME_ANNOTATION]: CLAIM };
    const created = await claims.create({
      metadata: {
        name,
        namespace,
        annotations: { ...made, ...options.annotations },
        ...(isHeld && { finalizers: [CLAIM_FINALIZER] }),
        ...(madeFor && { ownerReferences: [ownedBy(madeFor)] }),
      },
      spec: {},
    });
    if (!isAllocated) return created;
    return claims.updateStatus({ ...created, status: { allocation: {}, reservedFor } });
  }

  async claims(): Promise<readonly Stored<ResourceClaim>[]> {
    const { items } = await this.#world.client.clientFor<ResourceClaim>(resources.resourceClaims).list({});
    return items;
  }

  async namesInStatus(name = "web"): Promise<readonly string[]> {
    const { status } = await this.#world.get<Pod>(resources.pods, name);
    return (status?.resourceClaimStatuses ?? []).map(
      (each) => `${each.name}: ${each.resourceClaimName ?? "none"}`,
    );
  }

  /** What controllers have written, but for events. */
  async writes(): Promise<readonly string[]> {
    await this.#world.run(2_000);
    return this.#world
      .takeWrites()
      .filter(({ resource }) => resource !== "events")
      .map(lineOf);
  }
}

export function forPod(pod: Stored<Pod>): ResourceClaimConsumerReference {
  return consumerOf(pod, "pods");
}

export function named(...names: readonly string[]): PodStatus {
  return { resourceClaimStatuses: names.map((resourceClaimName) => ({ name: CLAIM, resourceClaimName })) };
}

function ownedBy(owner: { readonly metadata: ObjectMeta; readonly kind?: string }): OwnerReference {
  const { name = "", uid = "" } = owner.metadata;
  const isGroup = owner.kind === "PodGroup";
  const apiVersion = isGroup ? "scheduling.k8s.io/v1alpha2" : "v1";
  return { apiVersion, kind: isGroup ? "PodGroup" : "Pod", name, uid, controller: true };
}
