import type { ApiObject, ObjectRef, OwnerReference } from "../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { resourceOfKind, resources } from "../../pkg/api/resources.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { isAlreadyExists } from "../../pkg/client/errors.ts";
import type { Owner, Step, Target, TargetResource } from "./scenario.ts";

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
    await this.#client.dynamic(resource).create({ ...object, metadata });
  }

  /** What is left in the end: also of what has no namespace. */
  async list(kinds: readonly Resource[]): Promise<readonly ApiObject[]> {
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const within = kind.namespaced ? { namespace: this.namespace } : {};
        const { items } = await this.#client.dynamic(kind).list(within);
        return items
          .filter(({ metadata }) => kind.namespaced || metadata.name?.startsWith(`${this.namespace}:`))
          .map((item) => ({ ...item, kind: kind.kind }));
      }),
    );
    return lists.flat();
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
    if (resource === resources.nodes) return { name };
    if (!resource.namespaced) return { name: `${this.namespace}:${name}` };
    return { namespace: elsewhere ? `${this.namespace}-elsewhere` : this.namespace, name };
  }

  async #openElsewhere(): Promise<void> {
    try {
      await this.#client
        .clientFor(resources.namespaces)
        .create({ metadata: { name: `${this.namespace}-elsewhere` } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}
