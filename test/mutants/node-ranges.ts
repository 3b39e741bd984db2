import type { Mutant } from "./mutant.ts";

const folder = "controllers/nodeipam";
const setTests = [`${folder}/cidr-set.test.ts`, `${folder}/index-set.test.ts`];
const rangesTests = [`${folder}/node-ranges.test.ts`];
const planTests = [`${folder}/range-plan.test.ts`];
const syncTests = [`${folder}/sync.test.ts`];
const startTests = [`${folder}/start.test.ts`];

function row(
  name: string,
  file: string,
  [find, replace]: readonly [string, string],
  tests: readonly string[],
): Mutant {
  return { name: `node ranges: ${name}`, file: `${folder}/${file}`, find, replace, tests };
}

/** What is decided. */
const decisions: readonly Mutant[] = [
  row(
    "what was not sent is held to be stored",
    "apply.ts",
    ["isUnreachable(error) || wasNotSent(error)", "isUnreachable(error)"],
    [`${folder}/fenced-write.test.ts`],
  ),
  row(
    "the search begins at the first range each time",
    "cidr-set.ts",
    ["nextFree(this.#next)", "nextFree(0)"],
    setTests,
  ),
  row(
    "a range that is smaller than a Node's takes none",
    "cidr-set.ts",
    ["Math.max(0, this.#length - cidr.length)", "(this.#length - cidr.length)"],
    setTests,
  ),
  row(
    "what is before the last range that was given out is never searched",
    "index-set.ts",
    ["step <= pages", "step < pages"],
    setTests,
  ),
  row(
    "the end of a set is beyond its size",
    "index-set.ts",
    ["return found < capacity ? found : undefined;", "return found;"],
    setTests,
  ),
  row(
    "what several have is free when the first of them is gone",
    "shared-spans.ts",
    ["return holders === 1;", "return true;"],
    rangesTests,
  ),
  row(
    "what is within a larger range is free with it",
    "shared-spans.ts",
    [
      "if (index >= span.begin && index <= span.end) found.push({ begin: index, end: index });",
      "void index;",
    ],
    rangesTests,
  ),
  row(
    "Services give up what a Node had of theirs",
    "node-ranges.ts",
    ["spans.hold(spans.set.spanOf(service))", "spans.set.occupy(spans.set.spanOf(service))"],
    rangesTests,
  ),
  row(
    "a Node gets half of its ranges where the other half is not to be had",
    "node-ranges.ts",
    [
      "const full = this.#sets.findIndex(({ set }) => set.used === set.size);",
      "const full = this.#sets[0]?.set.used === this.#sets[0]?.set.size ? 0 : -1;",
    ],
    rangesTests,
  ),
  row(
    "what was meant for a Node stays taken when it shows another",
    "node-ranges.ts",
    ["if (before !== undefined) this.#drop(before);", ""],
    rangesTests,
  ),
  row(
    "what may be stored is given to others",
    "node-ranges.ts",
    ['if (this.#holdings.get(uid)?.state === "reserved") this.release(uid);\n  }', "this.release(uid);\n  }"],
    rangesTests,
  ),
  row(
    "a Node is written what another has brought with it since",
    "node-ranges.ts",
    ['if (this.#holdings.get(uid)?.state === "reserved" && this.#isShared(uid)) this.release(uid);', ""],
    rangesTests,
  ),
  row(
    "lengths for IPv4 count in a cluster of IPv6",
    "range-plan.ts",
    ['if (maskSizeIpv4 !== 0 && family === "IPv6")', 'if (maskSizeIpv4 < 0 && family === "IPv6")'],
    planTests,
  ),
];

/** What it is wired with: fields, uids, errors, requeues, the start. */
const wiring: readonly Mutant[] = [
  row(
    "the ranges of Nodes are not read",
    "node-ranges.ts",
    ['["spec.podCIDRs"] as const', "[] as const"],
    syncTests,
  ),
  row("nobody is woken by a range that becomes free", "context.ts", ["      wake(key);\n", ""], syncTests),
  row(
    "one Node too few is woken for ranges that become free",
    "context.ts",
    ["let left = count;", "let left = count - 1;"],
    syncTests,
  ),
  row(
    "nothing is counted",
    "context.ts",
    ["{ observe: cidrMetrics(metrics), onFree }", "{ onFree }"],
    syncTests,
  ),
  row(
    "a Node that is gone keeps its range",
    "controller.ts",
    [
      'if (change.type === "deleted") ranges.release(change.object.metadata.uid);',
      'if (change.type === "deleted") return;',
    ],
    syncTests,
  ),
  row("what a Node shows is not taken", "controller.ts", ["else ranges.show(change.object);", ""], syncTests),
  row(
    "every heartbeat of a Node is looked at",
    "controller.ts",
    [
      "(object.spec?.podCIDRs ?? []).length === 0 || ranges.problemOf(object.metadata.uid) !== undefined",
      "ranges.size >= 0",
    ],
    syncTests,
  ),
  row(
    "a Node that is gone is waited for with a range",
    "controller.ts",
    ["gone: (key) => waiting.delete(key),", ""],
    syncTests,
  ),
  row(
    "ranges are given out before all Nodes were read",
    "controller.ts",
    ["      ready: async (signal) => takeWhatIsThere(context, signal),\n", ""],
    startTests,
  ),
  row(
    "settings that do not go together are found out when there is a cluster",
    "controller.ts",
    ["() => void new NodeRanges(planRanges(settings))", "() => undefined"],
    startTests,
  ),
  row(
    "a Node that is being deleted gets a range",
    "sync.ts",
    ["if (node.metadata.deletionTimestamp !== undefined) return {};", ""],
    syncTests,
  ),
  row(
    "nobody is told that there is no range",
    "sync.ts",
    ['    tellOf(context, node, "CIDRNotAvailable");\n', ""],
    syncTests,
  ),
  row("a patch may hit another Node of the name", "apply.ts", ["metadata: { uid }, spec", "spec"], syncTests),
  row(
    "a lost answer is taken for a refusal",
    "apply.ts",
    ["if (!isRefusal(error)) ranges.mayBeStored(node.metadata.uid);", ""],
    syncTests,
  ),
  row("a refusal is taken for a lost answer", "apply.ts", ["if (!isRefusal(error)) ", ""], syncTests),
  row(
    "what somebody else has given the Node is not looked for",
    "apply.ts",
    ["if (podCIDRs.length > 0) {", "if (podCIDRs.length > 9) {"],
    syncTests,
  ),
  row("a failed write is tried once", "apply.ts", ["const ATTEMPTS = 3;", "const ATTEMPTS = 1;"], syncTests),
  row(
    "nobody is told of a write that failed",
    "apply.ts",
    ['  tellOf(context, node, "CIDRAssignmentFailed");\n', ""],
    syncTests,
  ),
  row(
    "a range from elsewhere is no reason not to start",
    "sync-start.ts",
    ["if (problem !== undefined) throw new NodeRangeError(problem);", ""],
    startTests,
  ),
  row(
    "what a cache that is behind does not show is taken for gone",
    "sync-start.ts",
    ["if ((versionOrder(nodes.lastSyncResourceVersion(), unseen.version) ?? 0) < 0) return;", ""],
    startTests,
  ),
  row(
    "what was gone before the cache could show it stays taken",
    "sync-start.ts",
    ["for (const uid of unseen.uids) ranges.release(uid);", ""],
    startTests,
  ),
  row(
    "pages after the first are not read",
    "sync-start.ts",
    ["while (meta.continue) {", "while (meta.continue === null) {"],
    startTests,
  ),
  row(
    "Nodes that cannot be read are waited for without end",
    "sync-start.ts",
    ["const GIVE_UP_MS = 600_000;", "const GIVE_UP_MS = Infinity;"],
    startTests,
  ),
  row(
    "the answer to a write is read",
    "apply.ts",
    ["await writes.patchUnread(", "await writes.patch("],
    syncTests,
  ),
  row("what has ended is shown as running", "metrics.ts", ["  running.set(0);\n", ""], syncTests),
  row(
    "nobody is told that it runs",
    "controller.ts",
    ["    kit.task(async (signal) => showRunning(kit.env.metrics, signal));\n", ""],
    syncTests,
  ),
];

export const nodeRangesMutants: readonly Mutant[] = [...decisions, ...wiring];
