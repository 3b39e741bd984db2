import type { OwnerReference } from "../../pkg/api/object.ts";
import { type Graph, GraphNode } from "./graph.ts";
import type { GraphChange, Sighting } from "./graph-change.ts";
import { matchesReference, type ObjectIdentity, referredIdentity, sameIdentity } from "./identity.ts";
import { alternateIdentity, partitionDependents, referenceChanges } from "./references.ts";

/** What is to be done because the graph has changed. */
export class Consequences {
  /** To be looked at: it may have lost its last owner, or may be free to go. */
  readonly toDelete = new Set<GraphNode>();
  /** The same, after a back-off. */
  readonly toDeleteLater = new Set<GraphNode>();
  readonly toOrphan = new Set<GraphNode>();
  /** Owners that are known not to exist. */
  readonly absent: ObjectIdentity[] = [];
  /** Dependents whose owner is in another namespace. */
  readonly misplaced: { readonly dependent: GraphNode; readonly reference: OwnerReference }[] = [];
}

/**
 * Brings the graph up to date, and tells what follows from that. The order of changes of one object matters; those of
 * different objects may come in any.
 * upstream: pkg/controller/garbagecollector/graph_builder.go#processGraphChanges
 */
export function decideConsequences(graph: Graph, change: GraphChange): Consequences {
  const then = new Consequences();
  const known = graph.get(change.identity.uid);
  if (change.type === "absent") {
    if (known !== undefined) confirmAbsence(graph, known, change.identity, then);
    return then;
  }
  if (change.type === "unlisted") {
    if (known?.virtual === false) doubt(known, change.identity, then);
    return then;
  }
  const node = known?.virtual === true ? meet(graph, known, change.identity, then) : known;
  if (change.sighting !== undefined)
    see(graph, node, { identity: change.identity, sighting: change.sighting }, then);
  else if (node !== undefined) remove(graph, node, change.identity, then);
  return then;
}

/** The first sight of an object that was known from references. Those that do not fit are checked with the server. */
function meet(graph: Graph, node: GraphNode, observed: ObjectIdentity, then: Consequences): GraphNode {
  if (sameIdentity(node.identity, observed)) {
    node.virtual = false;
    return node;
  }
  for (const dependent of partitionDependents(node.dependents, observed).nonmatching) {
    if (observed.namespace !== "" && dependent.identity.namespace !== observed.namespace)
      reportMisplaced(dependent, observed.uid, then);
    then.toDelete.add(dependent);
  }
  const real = node.withIdentity(observed);
  real.virtual = false;
  graph.set(real);
  return real;
}

function see(
  graph: Graph,
  known: GraphNode | undefined,
  { identity, sighting }: { readonly identity: ObjectIdentity; readonly sighting: Sighting },
  then: Consequences,
): void {
  const node = known ?? new GraphNode(identity, sighting.owners);
  node.identity = identity;
  node.unlisted = false;
  if (known === undefined) {
    node.deletingDependents = sighting.waitsForDependents;
    graph.set(node);
    addToOwners(graph, node, node.owners, then);
  } else updateOwners(graph, node, sighting.owners, then);
  if (sighting.beingDeleted) node.beingDeleted = true;
  if (sighting.startsOrphaning) then.toOrphan.add(node);
  else if (sighting.startsForeground) {
    node.deletingDependents = true;
    for (const dependent of node.dependents) then.toDelete.add(dependent);
    then.toDelete.add(node);
  }
}

function updateOwners(
  graph: Graph,
  node: GraphNode,
  owners: readonly OwnerReference[],
  then: Consequences,
): void {
  if (node.owners === owners) return;
  const { added, removed, unblocked } = referenceChanges(node.owners, owners);
  // An owner that waits for its dependents may wait no longer.
  const released = removed.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  for (const { uid } of [...released, ...unblocked]) {
    const owner = graph.get(uid);
    if (owner !== undefined) then.toDelete.add(owner);
  }
  node.owners = owners;
  addToOwners(graph, node, added, then);
  removeFromOwners(graph, node, removed);
}

/** An owner that the graph does not have gets a virtual node, which is then looked for on the server. */
function addToOwners(
  graph: Graph,
  node: GraphNode,
  owners: readonly OwnerReference[],
  then: Consequences,
): void {
  let isDoubtful = false;
  for (const reference of owners) {
    const known = graph.get(reference.uid);
    const owner = known ?? new GraphNode(referredIdentity(reference, node.identity.namespace), [], true);
    owner.addDependent(node);
    if (known === undefined) {
      graph.set(owner);
      then.toDelete.add(owner);
    } else if (!isDoubtful) isDoubtful = contradicts(node, reference, owner, then);
  }
  // Whether its owners exist is then asked of the server; it goes only when none of them does.
  if (isDoubtful) then.toDelete.add(node);
}

/** Whether the reference and what is known of the owner cannot both be right. */
function contradicts(
  node: GraphNode,
  reference: OwnerReference,
  owner: GraphNode,
  then: Consequences,
): boolean {
  const isElsewhere = owner.identity.namespace !== node.identity.namespace;
  if (owner.identity.namespace !== "" && isElsewhere) {
    if (!owner.virtual) reportMisplaced(node, reference.uid, then);
    return true;
  }
  if (!matchesReference(reference, owner.identity)) return true;
  // First named by a cluster-scoped object, the owner may be one of a kind that has namespaces.
  return isElsewhere && owner.virtual;
}

/** A reference that the dependent has dropped meanwhile is not reported. */
function reportMisplaced(dependent: GraphNode, uid: string, then: Consequences): void {
  const reference = dependent.owners.find((owner) => owner.uid === uid);
  if (reference !== undefined) then.misplaced.push({ dependent, reference });
}

function removeFromOwners(graph: Graph, node: GraphNode, owners: readonly OwnerReference[]): void {
  for (const { uid } of owners) graph.get(uid)?.removeDependent(node);
}

/** If the object is already gone, no event will say so: the server is asked, in the version that it serves now. */
function doubt(node: GraphNode, identity: ObjectIdentity, then: Consequences): void {
  node.identity = identity;
  node.unlisted = true;
  then.toDelete.add(node);
}

/** The server has no such object. What depends on it may go, but the node goes only if nothing else can be meant. */
function confirmAbsence(graph: Graph, node: GraphNode, absent: ObjectIdentity, then: Consequences): void {
  const { matching, nonmatching } = partitionDependents(node.dependents, absent);
  const isOther = !sameIdentity(node.identity, absent);
  const stays = node.virtual ? nonmatching.length > 0 : isOther;
  if (!stays) {
    remove(graph, node, absent, then);
    return;
  }
  if (matching.length > 0) then.absent.push(absent);
  for (const dependent of matching) then.toDelete.add(dependent);
  if (!node.virtual || isOther) return;
  const alternate = alternateIdentity(nonmatching, absent);
  if (alternate === undefined) return;
  const replacement = node.withIdentity(alternate);
  graph.set(replacement);
  then.toDeleteLater.add(replacement);
}

function remove(graph: Graph, node: GraphNode, identity: ObjectIdentity, then: Consequences): void {
  graph.delete(node.identity.uid);
  removeFromOwners(graph, node, node.owners);
  if (node.dependents.size > 0) then.absent.push(identity);
  for (const dependent of node.dependents) then.toDelete.add(dependent);
  for (const { uid } of node.owners) {
    const owner = graph.get(uid);
    if (owner?.deletingDependents === true) then.toDelete.add(owner);
  }
}
