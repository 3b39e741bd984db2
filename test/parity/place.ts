import type { ApiObject, ObjectRef, OwnerReference, Stored } from "../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { resourceOfKind, resources } from "../../pkg/api/resources.ts";
import type {
  Event,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../pkg/api/types/storage-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { isAlreadyExists } from "../../pkg/client/errors.ts";
import type { Owner, Step, Target, TargetResource } from "./scenario.ts";

/** Names of these hold no colon. */
const DOTTED: ReadonlySet<Resource> = new Set<Resource>([
  resources.nodes,
  resources.persistentVolumes,
  resources.storageClasses,
  resources.volumeAttributesClasses,
  resources.csiDrivers,
  resources.resourceSlices,
  resources.resourcePoolStatusRequests,
  resources.deviceTaintRules,
  resources.validatingAdmissionPolicies,
]);

/** Where the things of one scenario are, in a cluster that has those of others as well. */
export class Place {
  readonly namespace: string;
  readonly #client: ClientSet;

  constructor(client: ClientSet, scenario: string) {
    this.#client = client;
    this.namespace = `parity-${scenario}`;
  }

  async open(): Promise<void> {
    await this.#client.clientFor(resources.namespaces).create({ metadata: { name: this.namespace } });
  }

  refOf(target: Target, elsewhere?: true): readonly [Resource, ObjectRef] {
    const [plural, name] = target.split("/") as [TargetResource, string];
    const resource = resources[plural];
    if (plural === "namespaces") return [resource, { name: this.namespace }];
    return [resource, this.#within(resource, name, elsewhere)];
  }

  async create({ object, owners, elsewhere }: Extract<Step, { do: "create" }>): Promise<void> {
    const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
    if (resource === undefined) throw new Error(`there is no kind ${object.kind ?? ""}`);
    if (elsewhere) await this.#openElsewhere();
    const { name = "" } = object.metadata;
    const ownerReferences = owners && (await this.references(owners));
    const metadata = {
      ...object.metadata,
      ...this.#within(resource, name, elsewhere),
      ...(ownerReferences && { ownerReferences }),
    };
    const named = await this.#ofClaim(this.#withVolume(this.#onNode(object)));
    await this.#client.dynamic(resource).create({ ...this.#ofVolumes(named), metadata });
  }

  /** Claims of the scenario's own volumes name them as it does. */
  #withVolume(object: ApiObject): ApiObject {
    const claim = object as ApiObject & Pick<PersistentVolumeClaim, "spec">;
    const { spec } = claim;
    if (spec?.volumeName?.startsWith(".") !== true) return object;
    const { name: volumeName } = this.#within(resources.persistentVolumes, spec.volumeName);
    const bound: typeof claim = { ...claim, spec: { ...spec, volumeName } };
    return bound;
  }

  /** A volume is bound to the very claim that there is of the name. */
  async #ofClaim(object: ApiObject): Promise<ApiObject> {
    const volume = object as ApiObject & Pick<PersistentVolume, "spec">;
    const { spec } = volume;
    if (spec?.claimRef?.name === undefined || spec.claimRef.namespace !== undefined) return object;
    const ref = { namespace: this.namespace, name: spec.claimRef.name };
    const { metadata } = await this.#client.clientFor(resources.persistentVolumeClaims).get(ref);
    const bound: typeof volume = { ...volume, spec: { ...spec, claimRef: { ...ref, uid: metadata.uid } } };
    return bound;
  }

  /** Pods of the scenario's own nodes name them as it does. */
  #onNode(object: ApiObject): ApiObject {
    const pod = object as ApiObject & Pick<Pod, "spec">;
    const { spec } = pod;
    if (spec?.nodeName?.startsWith(".") !== true) return object;
    const { name: nodeName } = this.#within(resources.nodes, spec.nodeName);
    const placed: typeof pod = { ...pod, spec: { ...spec, nodeName } };
    return placed;
  }

  /** Claims, and volumes that are kept for one, name what is the scenario's own. */
  #ofVolumes(object: ApiObject): ApiObject {
    if (object.kind !== "PersistentVolume" && object.kind !== "PersistentVolumeClaim") return object;
    const own = JSON.stringify(object).replaceAll(
      /("(?:volumeName|storageClassName|namespace)":")(\.)/g,
      `$1${this.namespace}$2`,
    );
    return JSON.parse(
      own.replaceAll(`"namespace":"${this.namespace}."`, `"namespace":"${this.namespace}"`),
    ) as ApiObject;
  }

  /** The scenario's own. */
  async nodes(): Promise<readonly Stored<Node>[]> {
    const { items } = await this.#client.clientFor(resources.nodes).list();
    return items.filter(({ metadata: { name } }) => this.#isMine(name));
  }

  /** What is left in the end: also of what has no namespace. */
  async list(kinds: readonly Resource[]): Promise<readonly ApiObject[]> {
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const within = kind.namespaced ? { namespace: this.namespace } : {};
        const { items } = await this.#client.dynamic(kind).list(within);
        return items
          .filter((item) => kind.namespaced || this.#isMine(whoseName(kind, item)) || isHollow(kind, item))
          .map((item) => ({ ...item, kind: kind.kind }));
      }),
    );
    return lists.flat();
  }

  /** Nodes and volumes have no namespace, and events about them are in that of everybody. */
  async eventsOfNodes(): Promise<readonly Event[]> {
    const { items } = await this.#client.clientFor<Event>(resources.events).list({ namespace: "default" });
    return items.filter(
      ({ involvedObject: { kind = "", name = "" } }) =>
        (kind === "Node" || kind === "PersistentVolume") && this.#isMine(name),
    );
  }

  /** What other scenarios of the cluster would find. */
  async removeNodes(): Promise<void> {
    const client = this.#client.clientFor(resources.nodes);
    for (const { metadata } of await this.nodes()) await client.delete({ name: metadata.name });
  }

  #isMine(name: string): boolean {
    return [".", ":"].some((sign) => name.startsWith(`${this.namespace}${sign}`));
  }

  async references(owners: readonly Owner[]): Promise<readonly OwnerReference[]> {
    return Promise.all(owners.map(async (owner) => this.#reference(owner)));
  }

  async #reference({ target, elsewhere, ...change }: Owner): Promise<OwnerReference> {
    const [resource, ref] = this.refOf(target, elsewhere);
    const { name } = ref;
    const uid = change.uid ?? (await this.#client.dynamic(resource).get(ref)).metadata.uid ?? "";
    return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, ...change };
  }

  #within(resource: Resource, name: string, elsewhere?: true): ObjectRef {
    if (DOTTED.has(resource)) return { name: name.startsWith(".") ? `${this.namespace}${name}` : name };
    if (!resource.namespaced) return { name: `${this.namespace}:${name}` };
    return { namespace: elsewhere ? `${this.namespace}-elsewhere` : this.namespace, name };
  }

  /** What is told of nodes is told there. Servers make it by themselves, but for the embedded one without a cluster. */
  async openDefault(): Promise<void> {
    await this.#openIfMissing("default");
  }

  async #openElsewhere(): Promise<void> {
    await this.#openIfMissing(`${this.namespace}-elsewhere`);
  }

  async #openIfMissing(name: string): Promise<void> {
    try {
      await this.#client.clientFor(resources.namespaces).create({ metadata: { name } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** Hollow nodes are everybody's: whoever looks at them runs alone. */
function isHollow(kind: Resource, { metadata: { name } }: Stored): boolean {
  return kind === resources.nodes && name.startsWith("node-");
}

/** A VolumeAttachment is whose its node is. */
function whoseName(kind: Resource, item: Stored): string {
  if (kind !== resources.volumeAttachments) return item.metadata.name;
  const { spec }: Partial<VolumeAttachment> = item;
  return spec?.nodeName ?? "";
}
