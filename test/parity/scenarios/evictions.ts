import type { Taint, Toleration } from "../../../pkg/api/types/core-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create, pod } from "./objects.ts";

/** The scenario's own, which no kubelet looks after: what was evicted stays to be seen. */
const NODE = ".a";

const out: Taint = { key: "example.com/out", value: "yes", effect: "NoExecute" };
const wet: Taint = { key: "example.com/wet", effect: "NoExecute" };

/** For ever, where nothing is said of seconds. */
function tolerates({ key }: Taint, tolerationSeconds?: number): Toleration {
  const seconds = tolerationSeconds === undefined ? {} : { tolerationSeconds };
  return { key, operator: "Exists", effect: "NoExecute", ...seconds };
}

/** Those that the server gives to every pod, and that must not be taken away. */
const given: readonly Toleration[] = ["not-ready", "unreachable"].map((what) =>
  tolerates({ key: `node.kubernetes.io/${what}`, effect: "NoExecute" }, 300),
);

const node: Step = create({ apiVersion: "v1", kind: "Node", metadata: { name: NODE } });

function taint(...taints: readonly Taint[]): Step {
  return { do: "patch", target: `nodes/${NODE}`, body: { spec: { taints } } };
}

function comes(
  name: string,
  tolerations: readonly Toleration[] = [],
  spec: Parameters<typeof pod>[1] = {},
): Step {
  return create(pod(name, { nodeName: NODE, tolerations, ...spec }));
}

const evicted = (name: string): Step => ({
  do: "until present",
  target: `pods/${name}`,
  path: "metadata.deletionTimestamp",
});

function tolerations(name: string, all: readonly Toleration[]): Step {
  return { do: "patch", target: `pods/${name}`, body: { spec: { tolerations: [...all, ...given] } } };
}

/** Whoever is evicted from a node that changes afterwards: the Go program evicts again what is ending. */
const AT_ONCE = { terminationGracePeriodSeconds: 0 };
const gone = (name: string): Step => ({ do: "until gone", target: `pods/${name}` });

/** Times are either so short that they end in the scenario, or so long that they do not. */
const SHORT = 2;
const LONG = 600;

export const evictions: readonly Scenario[] = inArea("evictions", [
  {
    name: "evicted-who-does-not-tolerate",
    steps: [
      node,
      comes("without"),
      comes("for-ever", [tolerates(out)]),
      comes("for-no-time", [tolerates(out, 0)]),
      comes("for-less-than-no-time", [tolerates(out, -1)]),
      comes("for-long", [tolerates(out, LONG)]),
      comes("everything", [{ operator: "Exists" }]),
      comes("any-effect", [{ key: out.key, operator: "Equal", value: "yes" }]),
      comes("another-value", [{ key: out.key, value: "no", effect: "NoExecute" }]),
      comes("another-taint", [tolerates(wet)]),
      comes("another-effect", [{ key: out.key, operator: "Exists", effect: "NoSchedule" }]),
      taint(out),
      ...["without", "for-no-time", "for-less-than-no-time"].map(evicted),
      ...["another-value", "another-taint", "another-effect"].map(evicted),
    ],
  },
  {
    name: "evicted-when-the-time-is-over",
    steps: [
      node,
      comes("short", [tolerates(out, SHORT)]),
      comes("long", [tolerates(out, LONG)]),
      comes("first-short", [tolerates(out, SHORT), tolerates(out, LONG)]),
      comes("first-long", [tolerates(out, LONG), tolerates(out, SHORT)]),
      taint(out),
      ...["short", "first-short"].map(evicted),
    ],
  },
  {
    name: "evicted-for-one-of-two-taints",
    steps: [
      node,
      comes("one", [tolerates(out)]),
      comes("short-and-long", [tolerates(out, LONG), tolerates(wet, SHORT)]),
      comes("short-and-for-ever", [tolerates(out), tolerates(wet, SHORT)]),
      comes("long-and-for-ever", [tolerates(out), tolerates(wet, LONG)]),
      comes("both", [tolerates(out), tolerates(wet)]),
      taint(out, wet),
      ...["one", "short-and-long", "short-and-for-ever"].map(evicted),
    ],
  },
  {
    name: "evicted-for-a-second-taint",
    steps: [
      node,
      comes("planned", [tolerates(out, LONG)]),
      comes("one", [tolerates(out)]),
      comes("both", [tolerates(out), tolerates(wet)]),
      taint(out),
      taint(out, wet),
      ...["planned", "one"].map(evicted),
    ],
  },
  {
    name: "evicted-from-a-node-that-was-tainted-before",
    steps: [
      node,
      taint(out),
      comes("without"),
      comes("short", [tolerates(out, SHORT)]),
      comes("long", [tolerates(out, LONG)]),
      comes("for-ever", [tolerates(out)]),
      ...["without", "short"].map(evicted),
    ],
  },
  {
    name: "evicted-for-what-becomes-of-a-taint",
    steps: [
      node,
      comes("one-value", [{ key: out.key, value: "yes", effect: "NoExecute" }]),
      comes("one-effect", [{ key: out.key, operator: "Exists", effect: "NoSchedule" }], AT_ONCE),
      comes("all", [{ key: out.key, operator: "Exists" }]),
      taint({ ...out, effect: "NoSchedule" }, { ...wet, effect: "PreferNoSchedule" }),
      taint(out),
      gone("one-effect"),
      taint({ ...out, value: "no" }),
      evicted("one-value"),
    ],
  },
  {
    name: "evicted-when-it-has-finished",
    steps: [
      node,
      comes("finished", [], { terminationGracePeriodSeconds: 5 }),
      { do: "patch pod status", pods: {}, body: { status: { phase: "Succeeded" } } },
      taint(out),
      gone("finished"),
    ],
  },
  {
    name: "eviction-cancelled-as-the-taint-goes",
    steps: [
      node,
      comes("long", [tolerates(out, LONG)], AT_ONCE),
      comes("long-and-for-ever", [tolerates(out, LONG), tolerates(wet)]),
      comes("for-ever", [tolerates(out), tolerates(wet)]),
      taint(out),
      taint(),
      taint(out),
      taint(out, wet),
      gone("long"),
      taint(wet),
    ],
  },
  {
    name: "eviction-cancelled-by-another-toleration",
    steps: [
      node,
      comes("long", [tolerates(out, LONG)]),
      comes("longer", [tolerates(out, LONG)]),
      taint(out),
      tolerations("long", [tolerates(out)]),
      tolerations("longer", [{ operator: "Exists" }, tolerates(out, LONG)]),
      taint(),
    ],
  },
  {
    name: "eviction-cancelled-as-the-pod-goes",
    steps: [
      node,
      comes("long", [tolerates(out, LONG)], AT_ONCE),
      comes("for-ever", [tolerates(out)], AT_ONCE),
      taint(out),
      { do: "delete pods", pods: {} },
      { do: "until pods", pods: {}, are: 0 },
    ],
  },
  {
    name: "evictions-of-a-node-that-goes",
    steps: [
      node,
      comes("without"),
      comes("short", [tolerates(out, SHORT)]),
      comes("long", [tolerates(out, LONG)]),
      taint(out),
      evicted("without"),
      { do: "delete", target: `nodes/${NODE}` },
      evicted("short"),
      node,
    ],
  },
  {
    name: "evictions-after-a-restart",
    alone: true,
    steps: [
      node,
      comes("for-ever", [tolerates(out)]),
      comes("short", [tolerates(out, 2 * SHORT)]),
      comes("long", [tolerates(out, LONG)]),
      taint(out),
      { do: "restart manager" },
      comes("without"),
      ...["without", "short"].map(evicted),
      taint(),
    ],
  },
]);
