import { expect, test } from "vitest";
import { decideConsequences } from "./consequences.ts";
import { graphToDot } from "./dot.ts";
import { Graph } from "./graph.ts";
import { GraphChange } from "./graph-change.ts";

/** alpha → bravo, charlie; delta → foxtrot → golf → nothing; echo alone. */
const owners: Readonly<Record<string, readonly string[]>> = {
  alpha: ["bravo", "charlie"],
  bravo: [],
  charlie: [],
  delta: ["foxtrot"],
  echo: [],
  foxtrot: ["golf"],
  golf: [],
};

const first = ["alpha -> bravo", "alpha -> charlie"];
const second = ["delta -> foxtrot", "foxtrot -> golf"];
const all = Object.keys(owners);
const shownOfAll = all.filter((uid) => uid !== "echo");

// upstream: pkg/controller/garbagecollector/dump_test.go#TestToDOTGraph, #TestToDOTGraphObj
test.for<[string, readonly string[], readonly string[], readonly string[], readonly string[]]>([
  ["owners and what they own", ["alpha", "bravo", "charlie"], [], ["alpha", "bravo", "charlie"], first],
  ["an owner that is missing", ["alpha", "charlie"], [], ["alpha", "bravo missing", "charlie"], first],
  ["nothing that is alone", ["alpha", "bravo", "charlie", "echo"], [], ["alpha", "bravo", "charlie"], first],
  ["two chains", all, [], shownOfAll, [...first, ...second]],
  [
    "what is connected to an owner",
    ["alpha", "bravo", "charlie"],
    ["bravo"],
    ["alpha", "bravo", "charlie"],
    first,
  ],
  ["nothing of an owner that is missing", ["alpha", "charlie"], ["bravo"], [], []],
  ["nothing of one that is alone", all, ["echo"], [], []],
  ["a chain from its first owner", all, ["golf"], ["delta", "foxtrot", "golf"], second],
  ["a chain from its last dependent", all, ["delta"], ["delta", "foxtrot", "golf"], second],
  ["two chains that were asked for", all, ["delta", "charlie"], shownOfAll, [...first, ...second]],
])("the graph shows %s", ([, uids, asked, vertices, edges]) => {
  const dot = graphToDot(graphOf(uids), asked);
  const shown = [...dot.matchAll(/ {2}"(\w+)" \[[^]*?missing="(\w+)"[^]*? {2}\];/g)];
  expect(shown.map(([, uid, missing]) => (missing === "true" ? `${uid} missing` : uid))).toEqual(vertices);
  const arrows = [...dot.matchAll(/ {2}"(\w+)" -> "(\w+)";/g)].map(([, from, to]) => `${from} -> ${to}`);
  expect(arrows).toEqual(edges);
});

// upstream: pkg/controller/garbagecollector/dump_test.go#TestMarshalDOT
test("the text is what Graphviz reads", () => {
  const graph = new Graph();
  const metadata = { namespace: "ns", name: 'a"b', uid: "1", deletionTimestamp: "2026-01-01T00:00:00Z" };
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "node", uid: "2" }];
  decideConsequences(
    graph,
    GraphChange.seen({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...metadata, ownerReferences },
    }),
  );
  expect(graphToDot(graph)).toBe(`strict digraph full {
  // Node definitions.
  "1" [
    label="uid=1\\nnamespace=ns\\nDeployment.v1.apps/a\\"b\\nbeingDeleted\\n"
    group="apps"
    version="v1"
    kind="Deployment"
    namespace="ns"
    name="a\\"b"
    uid="1"
    missing="false"
    beingDeleted="true"
    deletingDependents="false"
    virtual="false"
  ];
  "2" [
    label="uid=2\\nnamespace=ns\\nNode.v1/node\\nvirtual\\n"
    group=""
    version="v1"
    kind="Node"
    namespace="ns"
    name="node"
    uid="2"
    missing="false"
    beingDeleted="false"
    deletingDependents="false"
    virtual="true"
  ];
  // Edge definitions.
  "1" -> "2";
}
`);
  expect(graphToDot(new Graph())).toBe("strict digraph full {\n}\n");
});

test("what an owner reference has for a version is shown, be it one or not", () => {
  const graph = new Graph();
  const ownerReferences = [{ apiVersion: "a/b/c", kind: "Node", name: "node", uid: "2" }];
  decideConsequences(graph, GraphChange.seen({ ...reference("1"), metadata: { uid: "1", ownerReferences } }));
  expect(graphToDot(graph)).toContain('Node.a/b/c/node\\nvirtual\\n"\n    group=""\n    version="a/b/c"');
});

function graphOf(uids: readonly string[]): Graph {
  const graph = new Graph();
  for (const uid of uids) {
    const ownerReferences = (owners[uid] ?? []).map((owner) => reference(owner));
    decideConsequences(
      graph,
      GraphChange.seen({ ...reference(uid), metadata: { name: uid, uid, ownerReferences } }),
    );
  }
  // An owner that is named and not seen has a virtual node until the server is asked.
  for (const node of graph.nodes()) if (node.virtual) graph.delete(node.identity.uid);
  return graph;
}

function reference(uid: string): { apiVersion: string; kind: string; name: string; uid: string } {
  return { apiVersion: "v1", kind: "Pod", name: uid, uid };
}
