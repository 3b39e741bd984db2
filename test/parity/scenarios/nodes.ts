import { inArea, type Expected, type Scenario, type Step } from "../scenario.ts";
import { create, pod } from "./objects.ts";

/** Of the same zone: every third. */
const ZONE = ["node-0", "node-3"];
const ALL = ["node-0", "node-1", "node-2", "node-3", "node-4", "node-5"];
/** Of two zones, which become one for a while. */
const LARGE = ["node-1", "node-2", "node-4", "node-5"];

/** Not 1, with which the Go program empties no node any more after all were down. */
const EVICTION_RATE = "--node-eviction-rate=2";

function fails(node: string, how: string | null): Step {
  return {
    do: "patch",
    target: `nodes/${node}`,
    body: { metadata: { annotations: { "kcm.dev/fails": how } } },
  };
}

function until(node: string, holds: Expected): Step {
  return { do: "until", target: `nodes/${node}`, holds };
}

function zone(node: string, name: string): Step {
  const body = { metadata: { labels: { "topology.kubernetes.io/zone": name } } };
  return { do: "patch", target: `nodes/${node}`, body };
}

/** The taint of this effect is there, or is not. */
function tainted(key: string, effect: "NoExecute" | "NoSchedule", isThere = true): Expected {
  const full = `node.kubernetes.io/${key}`;
  return { [`spec.taints[${full}:${effect}].key`]: isThere ? full : undefined };
}

const unknown: Expected = { "status.conditions[Ready].status": "Unknown" };
const well: Expected = { "status.conditions[Ready].status": "True", "spec.taints": undefined };
const down: Expected = { ...unknown, ...tainted("unreachable", "NoSchedule") };
const spared: Expected = { ...down, ...tainted("unreachable", "NoExecute", false) };
const dead: Expected = { ...down, ...tainted("unreachable", "NoExecute") };
const on = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": node } });
const ready: Step = { do: "until pods", pods: { ready: true }, are: 1 };
const unready: Step = { do: "until pods", pods: { ready: false }, are: 1 };

/** Nodes fall silent, come back, and say how they are. Each but the last ends as it begins: the next one has the same nodes. */
export const nodes: readonly Scenario[] = withFlags([
  {
    name: "node-dies-and-returns",
    steps: [
      create(pod("lone", on("node-0"))),
      ready,
      fails("node-0", "silent"),
      until("node-0", dead),
      unready,
      { do: "delete pods", pods: {} },
      fails("node-0", null),
      until("node-0", well),
      { do: "until pods", pods: {}, are: 0 },
    ],
  },
  {
    name: "zone-dies-and-returns",
    steps: [
      ...ZONE.map((node) => fails(node, "silent")),
      ...ZONE.map((node) => until(node, dead)),
      ...ZONE.map((node) => fails(node, null)),
      ...ZONE.map((node) => until(node, well)),
    ],
  },
  {
    // Nobody is emptied when it may be the network, and what began is taken back; when one node answers, it goes on.
    name: "all-zones-die-and-return",
    flags: [EVICTION_RATE],
    steps: [
      ...ALL.map((node) => fails(node, "silent")),
      ...ALL.map((node) => until(node, spared)),
      fails("node-0", null),
      until("node-0", well),
      ...ALL.slice(1).map((node) => until(node, dead)),
      ...ALL.slice(1).map((node) => fails(node, null)),
      ...ALL.map((node) => until(node, well)),
    ],
  },
  {
    name: "zone-mostly-dies-and-returns",
    steps: [
      ...LARGE.map((node) => zone(node, "zone-d")),
      ...LARGE.slice(1).map((node) => fails(node, "silent")),
      ...LARGE.slice(1).map((node) => until(node, down)),
      // By then the turn of two more nodes of the first zone would have come.
      fails("node-0", "silent"),
      until("node-0", dead),
      until("node-2", dead),
      ...LARGE.slice(2).map((node) => until(node, spared)),
      ...["node-0", ...LARGE.slice(1)].map((node) => fails(node, null)),
      ...["node-0", ...LARGE].map((node) => until(node, well)),
      ...LARGE.map((node, index) => zone(node, `zone-${"bcbc".charAt(index)}`)),
    ],
  },
  {
    name: "zone-of-a-large-cluster-mostly-dies",
    flags: ["--large-cluster-size-threshold=3", "--secondary-node-eviction-rate=0.5"],
    steps: [
      ...LARGE.map((node) => zone(node, "zone-d")),
      ...LARGE.slice(1).map((node) => fails(node, "silent")),
      ...LARGE.slice(1).map((node) => until(node, dead)),
      ...LARGE.slice(1).map((node) => fails(node, null)),
      ...LARGE.map((node) => until(node, well)),
      ...LARGE.map((node, index) => zone(node, `zone-${"bcbc".charAt(index)}`)),
    ],
  },
  {
    name: "node-that-is-not-ready-falls-silent",
    steps: [
      fails("node-2", "not-ready"),
      until("node-2", { ...tainted("not-ready", "NoExecute"), ...tainted("not-ready", "NoSchedule") }),
      fails("node-2", "silent"),
      until("node-2", { ...dead, ...tainted("not-ready", "NoExecute", false) }),
      fails("node-2", "not-ready"),
      until("node-2", {
        ...tainted("not-ready", "NoExecute"),
        ...tainted("unreachable", "NoExecute", false),
        ...tainted("unreachable", "NoSchedule", false),
      }),
      fails("node-2", null),
      until("node-2", well),
    ],
  },
  {
    name: "node-under-pressure",
    steps: [
      ...["memory", "disk", "pid"].flatMap((what): readonly Step[] => [
        fails("node-4", `${what}-pressure`),
        until("node-4", tainted(`${what}-pressure`, "NoSchedule")),
      ]),
      fails("node-4", null),
      until("node-4", well),
    ],
  },
  {
    name: "node-that-takes-no-pods",
    steps: [
      { do: "patch", target: "nodes/node-5", body: { spec: { unschedulable: true } } },
      until("node-5", tainted("unschedulable", "NoSchedule")),
      { do: "patch", target: "nodes/node-5", body: { spec: { unschedulable: null } } },
      until("node-5", well),
    ],
  },
  {
    name: "node-whose-labels-change",
    steps: ["arm64", "amd64"].flatMap((arch): readonly Step[] => [
      { do: "patch", target: "nodes/node-5", body: { metadata: { labels: { "kubernetes.io/arch": arch } } } },
      until("node-5", { "metadata.labels[beta.kubernetes.io/arch]": arch }),
    ]),
  },
  {
    name: "node-dies",
    steps: [
      create(pod("lone", on("node-1"))),
      ready,
      fails("node-1", "silent"),
      until("node-1", dead),
      unready,
    ],
  },
]);

/** Nodes are everybody's: each scenario has a manager of its own, and no other beside it. */
function withFlags(scenarios: readonly Scenario[]): readonly Scenario[] {
  const flags = ["--node-monitor-period=1s", "--node-monitor-grace-period=8s"];
  return inArea(
    "nodes",
    scenarios.map((scenario) => ({ ...scenario, alone: true, flags: [...flags, ...(scenario.flags ?? [])] })),
  );
}
