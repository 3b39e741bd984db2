import type { OwnerReference } from "../../pkg/api/object.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import type { Graph, GraphNode } from "./graph.ts";

interface Vertex {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Named as an owner, but not in the graph. */
  readonly missing: boolean;
  readonly beingDeleted: boolean;
  readonly deletingDependents: boolean;
  readonly virtual: boolean;
}

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The graph as Graphviz reads it: all that own something or are owned, or only what is connected to these uids. */
export function graphToDot(graph: Graph, uids: readonly string[] = []): string {
  const nodes = uids.length === 0 ? [...graph.nodes()] : connectedTo(graph, uids);
  const { vertices, edges } = verticesAndEdges(nodes);
  const lines = ["strict digraph full {"];
  if (vertices.length > 0) lines.push("  // Node definitions.", ...vertices.flatMap(linesOfVertex));
  if (edges.length > 0) lines.push("  // Edge definitions.", ...edges.map(lineOfEdge));
  return `${[...lines, "}"].join("\n")}\n`;
}

/** Owners and dependents, theirs, and so on. */
function connectedTo(graph: Graph, uids: readonly string[]): readonly GraphNode[] {
  const found = new Map<string, GraphNode>();
  const open = [...uids];
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    const node = graph.get(uid);
    if (node === undefined || found.has(uid)) continue;
    found.set(uid, node);
    open.push(...node.owners.map((owner) => owner.uid));
    for (const dependent of node.dependents) open.push(dependent.identity.uid);
  }
  return [...found.values()];
}

function verticesAndEdges(nodes: readonly GraphNode[]): {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly Edge[];
} {
  const vertices = new Map<string, Vertex>();
  const edges: Edge[] = [];
  const shown = nodes.filter(({ dependents, owners }) => dependents.size > 0 || owners.length > 0);
  for (const node of shown) vertices.set(node.identity.uid, vertexOf(node));
  for (const { identity, owners } of shown) {
    for (const owner of owners) {
      if (!vertices.has(owner.uid)) vertices.set(owner.uid, missingVertex(owner));
      edges.push({ from: identity.uid, to: owner.uid });
    }
  }
  return {
    vertices: [...vertices.values()].toSorted((one, other) => compare(one.uid, other.uid)),
    edges: edges.toSorted((one, other) => compare(one.from, other.from) || compare(one.to, other.to)),
  };
}

function vertexOf({ identity, beingDeleted, deletingDependents, virtual }: GraphNode): Vertex {
  return { ...identity, missing: false, beingDeleted, deletingDependents, virtual };
}

function missingVertex({ uid, apiVersion, kind, name }: OwnerReference): Vertex {
  const flags = { beingDeleted: false, deletingDependents: false, virtual: false };
  return { uid, apiVersion, kind, namespace: "", name, missing: true, ...flags };
}

function linesOfVertex(vertex: Vertex): readonly string[] {
  const { uid, kind, namespace, name, missing, beingDeleted, deletingDependents, virtual } = vertex;
  const { group, version } = groupAndVersion(vertex.apiVersion);
  const conditions = [
    beingDeleted && "beingDeleted",
    deletingDependents && "deletingDependents",
    virtual && "virtual",
    missing && "missingFromGraph",
  ].filter((condition) => condition !== false);
  const resource = [kind, version, ...(group === "" ? [] : [group])].join(".");
  const label = [`uid=${uid}`, `namespace=${namespace}`, `${resource}/${name}`];
  if (conditions.length > 0) label.push(conditions.join(","));
  const attributes = {
    label: `${label.join("\n")}\n`,
    group,
    version,
    kind,
    namespace,
    name,
    uid,
    missing: String(missing),
    beingDeleted: String(beingDeleted),
    deletingDependents: String(deletingDependents),
    virtual: String(virtual),
  };
  return [
    `  ${quoted(uid)} [`,
    ...Object.entries(attributes).map(([key, value]) => `    ${key}=${quoted(value)}`),
    "  ];",
  ];
}

function lineOfEdge({ from, to }: Edge): string {
  return `  ${quoted(from)} -> ${quoted(to)};`;
}

/** References are made by anybody: what is no group and version is shown as a version. */
function groupAndVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch {
    return { group: "", version: apiVersion };
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
