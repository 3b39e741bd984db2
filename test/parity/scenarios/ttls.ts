import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create } from "./objects.ts";

const TTL = "node.alpha.kubernetes.io/ttl";

/** As many more or less as it takes to have this number. */
function nodes(from: number, to: number): Step {
  return from < to ? { do: "create nodes", from, to } : { do: "delete nodes", from: to, to: from };
}

/** The Go program tells a node of a new size of the cluster when it hears of the node next. */
function allHave(seconds: number, round: number): readonly Step[] {
  return [
    { do: "patch nodes", body: { metadata: { labels: { round: String(round) } } } },
    { do: "until nodes", holds: { [`metadata.annotations[${TTL}]`]: String(seconds) } },
  ];
}

function annotate(ttl: string | null): readonly Step[] {
  return [
    { do: "patch", target: "nodes/.0", body: { metadata: { annotations: { [TTL]: ttl } } } },
    { do: "until nodes", holds: { [`metadata.annotations[${TTL}]`]: "0" } },
  ];
}

/** All nodes are counted, whosever they are. */
const alone = true;

export const ttls: readonly Scenario[] = inArea("ttls", [
  {
    name: "ttl-as-a-cluster-grows-and-shrinks",
    alone,
    steps: [
      nodes(0, 100),
      ...allHave(0, 0),
      nodes(100, 101),
      ...allHave(15, 1),
      nodes(101, 500),
      ...allHave(15, 2),
      nodes(500, 501),
      ...allHave(30, 3),
      nodes(501, 450),
      ...allHave(30, 4),
      nodes(450, 449),
      ...allHave(15, 5),
      nodes(449, 90),
      ...allHave(15, 6),
      nodes(90, 89),
      ...allHave(0, 7),
      // What is compared in the end need not be so many.
      nodes(89, 2),
    ],
  },
  {
    name: "ttl-that-somebody-else-changes",
    alone,
    steps: [
      nodes(0, 1),
      create({ apiVersion: "v1", kind: "Node", metadata: { name: ".own", annotations: { [TTL]: "60" } } }),
      ...["15", "soon", "", null].flatMap(annotate),
    ],
  },
]);
