import type { OwnerReference } from "../../pkg/api/object.ts";
import { describeIdentity, type ObjectIdentity } from "./identity.ts";

const NONE: ReadonlySet<GraphNode> = new Set();

/** An object, its owners, and the objects that name it as an owner. */
export class GraphNode {
  /** As the object was last seen: the version in which a resource is served can change. */
  identity: ObjectIdentity;
  owners: readonly OwnerReference[];
  /** Known from references alone: no informer has shown it yet, and part of its identity may be wrong. */
  virtual: boolean;
  /** Its deletion has begun, and never goes back. */
  beingDeleted = false;
  /** Its deletion waits for its dependents to go. */
  deletingDependents = false;
  /** Not in the list of the informer that would tell of its deletion: only the server knows whether it is there. */
  unlisted = false;
  /** Most objects never have any. */
  #dependents: Set<GraphNode> | undefined;

  constructor(identity: ObjectIdentity, owners: readonly OwnerReference[], virtual = false) {
    this.identity = identity;
    this.owners = owners;
    this.virtual = virtual;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? NONE;
  }

  addDependent(node: GraphNode): void {
    this.#dependents ??= new Set();
    this.#dependents.add(node);
  }

  removeDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
    if (this.#dependents?.size === 0) this.#dependents = undefined;
  }

  /** The dependents that must go before it. */
  blockingDependents(): readonly GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  /** The same node under another identity. Who holds the old one can tell from the graph that it counts no more. */
  withIdentity(identity: ObjectIdentity): GraphNode {
    const copy = new GraphNode(identity, this.owners, this.virtual);
    copy.beingDeleted = this.beingDeleted;
    copy.deletingDependents = this.deletingDependents;
    for (const dependent of this.dependents) copy.addDependent(dependent);
    return copy;
  }

  toString(): string {
    return describeIdentity(this.identity);
  }
}

/** All objects that the garbage collector knows, by uid. */
export class Graph {
  readonly #nodes = new Map<string, GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  set(node: GraphNode): void {
    this.#nodes.set(node.identity.uid, node);
  }

  delete(uid: string): void {
    this.#nodes.delete(uid);
  }

  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }
}
