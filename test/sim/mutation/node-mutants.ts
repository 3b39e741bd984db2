import type { Mutant } from "./mutant.ts";

const lifecycle = "controllers/nodelifecycle";
const eviction = "controllers/tainteviction";
const ranges = "controllers/nodeipam";

/** In the controllers of nodes. */
export const nodeMutants: readonly Mutant[] = [
  {
    name: "calls nodes silent that are late",
    file: `${lifecycle}/node-health.ts`,
    find: "return silentMs > graceMs;",
    replace: "return silentMs > graceMs / 2;",
  },
  {
    name: "believes its cache that nodes are silent",
    needs: ["stale cache of nodes"],
    file: `${lifecycle}/sync-monitor.ts`,
    find: "await hear(sync, context, looks.filter(isSuspect));",
    replace: "",
  },
  {
    name: "holds it against nodes that nobody reached the server",
    needs: ["API server away from all"],
    file: `${lifecycle}/sync-silent.ts`,
    find: "context.memory.isCutOff = true;",
    replace: "",
  },
  {
    name: "takes the health of a node for that of the next of its name",
    file: `${lifecycle}/known-nodes.ts`,
    find: "if (known?.uid === uid) {",
    replace: "if (known !== undefined) {",
  },
  {
    name: "leaves the taints that evict on nodes that are back",
    file: `${lifecycle}/sync-settle.ts`,
    find: 'if (current === "True" || zones.allDown || isNewcomer)',
    replace: "if (zones.allDown || isNewcomer)",
  },
  {
    name: "takes the taints that evict off nodes that are down",
    file: `${lifecycle}/sync-settle.ts`,
    find: 'if (current === "True" || zones.allDown || isNewcomer)',
    replace: 'if (current !== "Unknown" || zones.allDown || isNewcomer)',
  },
  {
    name: "drives pods away while all nodes are down",
    file: `${lifecycle}/zones.ts`,
    find: "const allDown = states.size > 0 &&",
    replace: "const allDown = states.size > 99 &&",
  },
  {
    name: "empties no node",
    file: `${lifecycle}/sync-zones.ts`,
    find: "for (const [zone, line] of zones.all()) if (line.size > 0) zoneQueue.addAfter(zone, TAINT_DELAY_MS);",
    replace: "void zoneQueue; void TAINT_DELAY_MS;",
  },
  {
    name: "does not go on with a zone that waits for its turn",
    file: `${lifecycle}/sync-zones.ts`,
    find: "    line.moveToEnd(waiting);\n    errors.push(",
    replace: "    line.remove(uid);\n    errors.push(",
    also: {
      file: `${lifecycle}/sync-settle.ts`,
      find: 'if (current === "False" || current === "Unknown") line?.add({ name, uid });',
      replace:
        'if ((current === "False" || current === "Unknown") && look.observed === "True") line?.add({ name, uid });',
    },
  },
  {
    name: "does not wake nodes when their conditions change",
    file: `${lifecycle}/handlers.ts`,
    find: "return isSame && areSameTaints(one, other) && areSameConditions(one, other);",
    replace: "return isSame && areSameTaints(one, other);",
  },
  {
    name: "does not wake nodes when others change their taints",
    file: `${lifecycle}/handlers.ts`,
    find: "return isSame && areSameTaints(one, other) && areSameConditions(one, other);",
    replace: "return isSame && areSameConditions(one, other);",
  },
  {
    name: "takes taints off that users gave",
    file: `${lifecycle}/node-taints.ts`,
    find: 'effect !== "NoSchedule" || !OWN_KEYS.has(key)',
    replace: 'effect !== "NoSchedule"',
  },
  {
    name: "writes taints over those that others have set meanwhile",
    file: `${lifecycle}/apply.ts`,
    find: "metadata: { uid, resourceVersion, ...(labels && { labels }) }",
    replace: "metadata: { uid, ...(labels && { labels }) }",
  },
  {
    name: "leaves the pods of lost nodes ready",
    file: `${lifecycle}/sync-settle.ts`,
    find: "  known.podsPending = true;\n",
    replace: "",
  },
  {
    name: "leaves pods ready that come to a node which is down",
    file: `${lifecycle}/controller.ts`,
    find: "context.pods.wakes(podQueue, podThatComesToANode);",
    replace: "",
  },
  {
    name: "marks pods of nodes that are ready",
    file: `${lifecycle}/sync-pod.ts`,
    find: 'known?.ready === undefined || known.ready === "True"',
    replace: "known?.ready === undefined",
  },
  {
    name: "forgets pods that could not be marked",
    needs: ["request errors"],
    file: `${lifecycle}/sync-settle.ts`,
    find: "throwAll(results.flatMap(",
    replace: "void (results.flatMap(",
  },
  {
    name: "leaves old names of labels as users write them",
    file: `${lifecycle}/node-labels.ts`,
    find: "value === undefined || value === labels[oldName]",
    replace: "value === undefined || labels[oldName] !== undefined",
  },
  {
    name: "evicts pods that tolerate a taint for ever",
    file: `${eviction}/eviction-plan.ts`,
    find: "if (toleration.tolerationSeconds === undefined) continue;",
    replace: "",
  },
  {
    name: "evicts pods that came after a taint in the time of the taint",
    file: `${eviction}/eviction-plan.ts`,
    find: "Math.max(sinceMs, podSinceMs) + forMs",
    replace: "sinceMs + forMs",
  },
  {
    name: "evicts pods a tenth of their time too early",
    file: `${eviction}/eviction-plan.ts`,
    find: "Number(toleration.tolerationSeconds)) * 1_000",
    replace: "Number(toleration.tolerationSeconds)) * 900",
  },
  {
    name: "lets pods stay for the longest of their times",
    file: `${eviction}/eviction-plan.ts`,
    find: "dueMs < first.dueMs",
    replace: "dueMs > first.dueMs",
  },
  {
    name: "evicts for taints that keep pods from coming",
    file: `${eviction}/eviction-plan.ts`,
    find: 'effect === "NoExecute"',
    replace: 'effect.startsWith("No")',
  },
  {
    name: "takes a taint that came again for the one before",
    file: `${eviction}/sync-taint-times.ts`,
    find: "if (taints.length === 0) {\n      this.#since.delete(uid);\n",
    replace: "if (taints.length === 0) {\n",
    also: {
      file: `${eviction}/sync-taint-times.ts`,
      find: "before !== undefined && before.timeAddedMs === timeAddedMs",
      replace: "before !== undefined",
    },
  },
  {
    name: "believes its cache of a node's taints",
    needs: ["stale cache of nodes"],
    file: `${eviction}/sync.ts`,
    find: "const plan = planFor(context, pod, node);\n  if (!isAsKnown",
    replace: "const plan = planFor(context, pod, cachedNode);\n  if (!isAsKnown",
  },
  {
    name: "believes its cache of what a pod tolerates",
    needs: ["stale cache of nodes"],
    file: `${eviction}/sync.ts`,
    find: "    context.writes.live(sync, owner),",
    replace: "    Promise.resolve(owner as never),",
  },
  {
    name: "does not come back when the time of a pod is over",
    file: `${eviction}/sync.ts`,
    find: "return { requeueAfterMs: plan.dueMs - context.clock.monotonicMs() };",
    replace: "return {};",
  },
  {
    name: "does not look at the pods of a node that gets a taint",
    file: `${eviction}/controller.ts`,
    find: "nodes.wakes(nodeQueue, nodeRule);",
    replace: "void nodeRule;",
  },
  {
    name: "does not look at pods that come to a node which evicts",
    file: `${eviction}/handlers.ts`,
    find: "if (evictingTaints(taints).length > 0 || planned",
    replace: "if (planned",
  },
  {
    name: "forgets pods that it could not evict",
    needs: ["request errors"],
    file: `${eviction}/apply.ts`,
    find: "    throw error;\n",
    replace: "    return;\n",
  },
  {
    name: "gives the next range whoever has it",
    file: `${ranges}/cidr-set.ts`,
    find: "const index = this.#used.nextFree(this.#next);",
    replace: "const index = this.#used.count === this.size ? undefined : this.#next;",
  },
  {
    name: "takes what was meant for a node for free when no answer comes",
    needs: ["request errors"],
    file: `${ranges}/apply.ts`,
    find: "if (!isRefusal(error)) ranges.mayBeStored(node.metadata.uid);",
    replace: "",
    also: {
      file: `${ranges}/apply.ts`,
      find: "    if (podCIDRs.length > 0) {",
      replace: "    if (podCIDRs.length > 9) {",
    },
  },
  {
    name: "keeps the ranges of nodes that are gone",
    file: `${ranges}/controller.ts`,
    find: 'if (change.type === "deleted") ranges.release(change.object.metadata.uid);',
    replace: 'if (change.type === "deleted") return;',
  },
  {
    name: "gives nodes what Services have",
    file: `${ranges}/range-plan.ts`,
    find: "const services = texts.flatMap((text) => parseCidr(text) ?? []);",
    replace: "const services = texts.flatMap((text) => parseCidr(text) ?? []).slice(9);",
  },
  {
    name: "writes the range of a node to the next of its name",
    file: `${ranges}/apply.ts`,
    find: "metadata: { uid }, spec",
    replace: "spec",
  },
  {
    name: "leaves the TTL that users write",
    file: "controllers/ttl/handlers.ts",
    find: "if (ttlOf(object) !== ttl.seconds) wake(object.metadata.name);",
    replace: "",
  },
  {
    name: "gives new nodes no TTL",
    file: "controllers/ttl/handlers.ts",
    find: 'if (type === "added") wake(object.metadata.name);',
    replace: "",
    also: {
      file: "controllers/ttl/handlers.ts",
      find: "if (ttlOf(object) !== ttl.seconds) wake(object.metadata.name);",
      replace: "",
    },
  },
];
