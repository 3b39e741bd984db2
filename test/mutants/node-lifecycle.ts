import type { Mutant } from "./mutant.ts";

const folder = "controllers/nodelifecycle";
const rounds = `${folder}/sync-monitor.test.ts`;
const hearing = `${folder}/hearing.test.ts`;
const wiring = `${folder}/wiring.test.ts`;
const health = `${folder}/node-health.test.ts`;
const taints = `${folder}/node-taints.test.ts`;

interface Row {
  readonly what: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const rows: readonly Row[] = [
  // Decisions.
  {
    what: "a heartbeat that an older version of the node has counts as news",
    file: "node-health.ts",
    find: "if ((versionOrder(version, before.ready.version) ?? 0) < 0) return before;",
    replace: "",
    tests: [health, hearing],
  },
  {
    what: "a node is silent at the end of its grace period already",
    file: "node-health.ts",
    find: "return silentMs > graceMs;",
    replace: "return silentMs >= graceMs;",
    tests: [health],
  },
  {
    what: "a node that was never heard of has the grace period of others",
    file: "node-health.ts",
    find: "ready === undefined ? periods.startupGracePeriodMs : periods.monitorGracePeriodMs",
    replace: "periods.monitorGracePeriodMs",
    tests: [health, rounds],
  },
  {
    what: "a taint that is there gets the time of now",
    file: "node-taints.ts",
    find: "if (others.some((each) => isSameTaint(each, taint))) return others;",
    replace: "",
    tests: [taints, wiring],
  },
  {
    what: "taints of another effect are taken for its own",
    file: "node-taints.ts",
    find: 'effect !== "NoSchedule" || !OWN_KEYS.has(key)',
    replace: "!OWN_KEYS.has(key)",
    tests: [taints],
  },
  {
    what: "a zone that is down keeps a cluster that is down as a whole from being let be",
    file: "zones.ts",
    find: "rates.set(zone, allDown ? 0 : rate);",
    replace: "rates.set(zone, rate);",
    tests: [`${folder}/zones.test.ts`],
  },
  {
    what: "a zone of the very size of the threshold is emptied",
    file: "zones.ts",
    find: "nodes > settings.largeClusterSizeThreshold",
    replace: "nodes >= settings.largeClusterSizeThreshold",
    tests: [`${folder}/zones.test.ts`],
  },
  {
    what: "the old names of zones come second",
    file: "zones.ts",
    find: 'labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"]',
    replace: 'labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"]',
    tests: [`${folder}/zones.test.ts`],
  },
  {
    what: "a rate that granted nothing has a token when it is raised",
    file: "eviction-line.ts",
    find: "this.#tokens = this.tryTake(nowMs) ? 1 : 0;",
    replace: "this.#tokens = 1;",
    tests: [`${folder}/eviction-line.test.ts`],
  },
  {
    what: "conditions that the kubelet never posted are not written",
    file: "silent-status.ts",
    find: '"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"',
    replace: '"Ready"',
    tests: [health, rounds],
  },
  // Wiring.
  {
    what: "Leases are kept without their time",
    file: "fields.ts",
    find: '["spec.renewTime"]',
    replace: "[]",
    tests: [rounds],
  },
  {
    what: "heartbeats of nodes are not kept",
    file: "fields.ts",
    find: '  "status.conditions.lastHeartbeatTime",\n',
    replace: "",
    tests: [rounds],
  },
  {
    what: "whether a node takes pods is not kept",
    file: "fields.ts",
    find: '  "spec.unschedulable",\n',
    replace: "",
    tests: [wiring],
  },
  {
    what: "nobody is given a hearing",
    file: "sync-monitor.ts",
    find: "await hear(sync, context, looks.filter(isSuspect));",
    replace: "",
    tests: [hearing],
  },
  {
    what: "Leases that cannot be listed are taken for silence",
    file: "sync-silent.ts",
    find: "if (!isBelieved(look.report)) look.report = { ...look.report, silentMs: 0 };",
    replace: "look.report = { ...look.report };",
    tests: [hearing],
  },
  {
    what: "an outage of the server is held against the nodes",
    file: "sync-silent.ts",
    find: "context.memory.isCutOff = true;",
    replace: "",
    tests: [hearing],
  },
  {
    what: "the status of a node is written whatever it has said meanwhile",
    file: "sync-silent.ts",
    find: "const body = { metadata: { uid, resourceVersion }, status };",
    replace: "const body = { metadata: { uid }, status };",
    tests: [hearing],
  },
  {
    what: "taints are written over those that others have set meanwhile",
    file: "apply.ts",
    find: "metadata: { uid, resourceVersion, ...(labels && { labels }) }",
    replace: "metadata: { uid, ...(labels && { labels }) }",
    tests: [hearing],
  },
  {
    what: "another pod of the name is marked",
    file: "apply.ts",
    find: "const body = { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };",
    replace: "const body = { status: { conditions: [condition] } };",
    tests: [hearing],
  },
  {
    what: "another node of the name waits in the place of the first",
    file: "sync-zones.ts",
    find: "if (owner?.metadata.uid !== uid) {",
    replace: "if (owner === undefined) {",
    tests: [wiring],
  },
  {
    what: "what is remembered of a node is taken for that of its successor",
    file: "known-nodes.ts",
    find: "if (known?.uid === uid) {",
    replace: "if (known !== undefined) {",
    tests: [hearing],
  },
  {
    what: "pods that were refused are forgotten",
    file: "sync-settle.ts",
    find: "throwAll(results.flatMap(",
    replace: "void (results.flatMap(",
    tests: [hearing],
  },
  {
    what: "pods of nodes that are down at the start are not marked",
    file: "known-nodes.ts",
    find: "ready: undefined, podsPending: true",
    replace: "ready: undefined, podsPending: false",
    tests: [rounds],
  },
  {
    what: "pods of a silent node that the cache shows later are not looked at",
    file: "sync-settle.ts",
    find: 'if (current === "Unknown" || (known.podsPending && current !== "True")) {',
    replace: 'if (known.podsPending && current !== "True") {',
    tests: [rounds],
  },
  {
    what: "the taints of a newcomer stay",
    file: "sync-settle.ts",
    find: 'current === "True" || zones.allDown || isNewcomer',
    replace: 'current === "True" || zones.allDown',
    tests: [wiring],
  },
  {
    what: "whoever takes over takes the taints off",
    file: "sync-monitor.ts",
    find: "new Set(memory.rounds > 0 ? added : [])",
    replace: "new Set(added)",
    tests: [wiring, rounds],
  },
  {
    what: "nodes are emptied before their zone was judged",
    file: "sync-settle.ts",
    find: 'if (current === "False" || current === "Unknown") line?.add({ name, uid });',
    replace:
      'if (current === "False" || current === "Unknown") { line?.add({ name, uid }); context.zoneQueue.addAfter(known.zone, 0); }',
    tests: [rounds],
  },
  {
    what: "nodes that come back after an outage of all have no time to say so",
    file: "sync-zones.ts",
    find: "if (known.health !== undefined) known.health = { ...known.health, probeMs };",
    replace: "known.health = { ...known.health!, probeMs: known.health!.probeMs };",
    tests: [wiring],
  },
  {
    what: "a zone that waits for a token is not looked at again",
    file: "sync-zones.ts",
    find: "return line.size === 0 || requeueAfterMs === undefined ? {} : { requeueAfterMs };",
    replace: "return requeueAfterMs === undefined ? {} : {};",
    tests: [wiring],
  },
  {
    what: "a node that need not be emptied costs its zone a turn",
    file: "sync-zones.ts",
    find: "line.rate.giveBack();",
    replace: "continue;",
    tests: [wiring, hearing],
  },
  {
    what: "each heartbeat wakes the node",
    file: "handlers.ts",
    find: 'if (change.type === "updated" && !change.resync && isAlike(change.before, change.object)) return;',
    replace: "",
    tests: [wiring],
  },
  {
    what: "a condition that changes wakes nobody",
    file: "handlers.ts",
    find: "return isSame && areSameTaints(one, other) && areSameConditions(one, other);",
    replace: "return isSame && areSameTaints(one, other);",
    tests: [wiring],
  },
  {
    what: "pods that come to a node that is down are not marked",
    file: "controller.ts",
    find: "context.pods.wakes(podQueue, podThatComesToANode);",
    replace: "",
    tests: [rounds],
  },
  {
    what: "all pods of a zone wait for the usual rate of requests",
    file: "controller.ts",
    find: "clientRate: { qpsFactor: 250, burstFactor: 250 },",
    replace: "",
    tests: [wiring],
  },
];

export const nodeLifecycleMutants: readonly Mutant[] = rows.map(({ what, file, ...rest }) => ({
  name: `node lifecycle: ${what}`,
  file: `${folder}/${file}`,
  ...rest,
}));
