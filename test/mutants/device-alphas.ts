import { type Mutant, mutantsOf } from "./mutant.ts";

const pools = "controllers/resourcepoolstatus";
const groups = "controllers/podgroupprotection";
const poolStatus = mutantsOf("resourcepoolstatusrequest", [
  `${pools}/pool-status.test.ts`,
  `${pools}/sync.test.ts`,
]);
const expiry = mutantsOf("resourcepoolstatusrequest", [`${pools}/expiry.test.ts`]);
const poolSync = mutantsOf("resourcepoolstatusrequest", [`${pools}/sync.test.ts`]);
const podGroups = mutantsOf("podgroup-protection", [`${groups}/sync.test.ts`]);
const alphas = mutantsOf("kinds of features that are off", [
  "test/integration/api/pool-status-requests.test.ts",
  "test/integration/api/pod-groups.test.ts",
]);

const rules: readonly Mutant[] = [
  poolStatus(
    "the name of a pool is not asked for",
    `${pools}/pool-status.ts`,
    'asked === "" || pool.name === asked',
    "pool.name !== undefined || asked === pool.name",
  ),
  poolStatus(
    "pools come as slices do",
    `${pools}/pool-status.ts`,
    "(left < right ? -1 : 1)",
    "(left === right ? -1 : 0)",
  ),
  poolStatus(
    "slices of older generations count",
    `${pools}/pool-status.ts`,
    "spec.pool.generation >= generation",
    "spec.pool.generation <= generation",
  ),
  poolStatus(
    "generations are doubles",
    `${pools}/pool-status.ts`,
    "(b > a ? b : a)",
    "(Number(b) > Number(a) ? b : a)",
  ),
  poolStatus(
    "a pool is of its first node",
    `${pools}/pool-status.ts`,
    'names.size === 1 && name !== ""',
    'name !== ""',
  ),
  poolStatus(
    "fewer devices than none are left",
    `${pools}/pool-status.ts`,
    "Math.max(0, totalDevices - allocatedDevices)",
    "totalDevices - allocatedDevices",
  ),
  poolStatus(
    "pools that are not shown are waited for",
    `${pools}/pool-status.ts`,
    ".slice(0, spec.limit ?? DEFAULT_LIMIT)\n",
    "\n",
  ),
  poolStatus(
    "pools are counted when they are shown",
    `${pools}/pool-status.ts`,
    "answer(byPool.length, shown, nowMs)",
    "answer(shown.length, shown, nowMs)",
  ),
  poolStatus(
    "what is not complete is answered",
    `${pools}/pool-status.ts`,
    "if (incomplete !== undefined) return { incomplete };",
    "",
  ),
  expiry(
    "the age counts, not the answer",
    `${pools}/expiry.ts`,
    "answer === undefined ? creationTimestamp : answer.lastTransitionTime",
    "answer === null ? undefined : creationTimestamp",
  ),
  expiry(
    "who waits goes after an hour",
    `${pools}/expiry.ts`,
    "const PENDING_MS = 24 * HOUR_MS;",
    "const PENDING_MS = HOUR_MS;",
  ),
];

const wiring: readonly Mutant[] = [
  {
    ...poolSync(
      "answers are given again",
      `${pools}/sync.ts`,
      "if (owner.status !== undefined) return {};",
      "",
    ),
    also: {
      file: `${pools}/controller.ts`,
      find: "if (object.status === undefined) wake",
      replace: "wake",
    },
  },
  poolSync("requests that change wake nobody", `${pools}/controller.ts`, '["added", "updated"]', '["added"]'),
  poolSync("it is tried for ever", `${pools}/controller.ts`, "      maxRetries: 5,\n", ""),
  poolSync("the queue is measured", `${pools}/controller.ts`, "      unmeasured: true,\n", ""),
  poolSync(
    "old requests stay",
    `${pools}/controller.ts`,
    "removeExpired(sync, context)",
    "({ ...(sync.key === removeExpired.name && context && {}) })",
  ),
  poolSync(
    "rounds are an hour apart",
    `${pools}/controller.ts`,
    "const CLEANING_PERIOD_MS = 600_000;",
    "const CLEANING_PERIOD_MS = 3_600_000;",
  ),
  poolSync("devices of slices are not read", `${pools}/fields.ts`, ', "spec.devices.name"', ""),
  poolSync("the node of slices is not read", `${pools}/fields.ts`, ' "spec.nodeName",', ""),
  poolSync(
    "claims are found by their driver",
    `${pools}/context.ts`,
    "claims.lister.byIndex(BY_POOL, poolKey(pool))",
    "claims.lister.byIndex(BY_POOL, pool.driver)",
  ),
  poolSync(
    "a claim with two devices of a pool has four",
    `${pools}/context.ts`,
    "sum + devicesOf(claim, pool)",
    "sum + devicesOf(claim, pool) ** 2",
  ),
  poolSync(
    "slices of all drivers are taken",
    `${pools}/context.ts`,
    "slices: slices.lister.byIndex(BY_DRIVER, driver)",
    "slices: driver === BY_DRIVER ? [] : slices.lister.list()",
  ),
  poolSync(
    "one that cannot be deleted ends the round",
    `${pools}/sync-expired.ts`,
    "signal.throwIfAborted();",
    "throw error;",
  ),
  poolSync(
    "failures are not counted",
    `${pools}/sync.ts`,
    "metrics.failed.inc(labels);",
    "void metrics.failed;",
  ),
  poolSync(
    "the gate is another",
    `${pools}/controller.ts`,
    '["DRAResourcePoolStatus"]',
    '["DRADeviceTaints"]',
  ),
];

const ofGroups: readonly Mutant[] = [
  podGroups(
    "pods that have ended hold their group",
    `${groups}/group-pods.ts`,
    "key === undefined || isPodTerminal(pod)",
    "key === undefined || isPodTerminal({ metadata: pod.metadata })",
  ),
  podGroups(
    "pods are in groups of any namespace",
    `${groups}/group-pods.ts`,
    "refKey(metadata.namespace, name)",
    "refKey(metadata.name, name)",
  ),
  podGroups("the phase of pods is not read", `${groups}/group-pods.ts`, ', "status.phase"', ""),
  podGroups(
    "the group of pods is not read",
    `${groups}/group-pods.ts`,
    '"spec.schedulingGroup.podGroupName", ',
    "",
  ),
  podGroups(
    "pods are not found by their group",
    `${groups}/context.ts`,
    "pods.addIndex(ACTIVE_PODS, heldGroupsOf);",
    "pods.addIndex(ACTIVE_PODS, (pod) => heldGroupsOf(pod).slice(1));",
  ),
  podGroups(
    "all pods of a group hold it",
    `${groups}/context.ts`,
    "pods.addIndex(ACTIVE_PODS, heldGroupsOf);",
    "pods.addIndex(ACTIVE_PODS, ({ metadata, spec }) => heldGroupsOf({ metadata, spec, status: {} }));",
  ),
  podGroups(
    "groups get the finalizer",
    `${groups}/controller.ts`,
    'finalizerChange(group, FINALIZER) === "remove"',
    "finalizerChange(group, FINALIZER) !== undefined",
  ),
  podGroups(
    "pods wake groups that get the finalizer",
    `${groups}/controller.ts`,
    "if (!isHeld(sync.owner)) return {};",
    "",
  ),
  podGroups(
    "groups do not wake themselves",
    `${groups}/controller.ts`,
    'type !== "deleted" && isHeld(object)',
    'type === "deleted" && isHeld(object)',
  ),
  podGroups(
    "groups that change do not wake themselves",
    `${groups}/controller.ts`,
    'type !== "deleted" && isHeld(object)',
    'type === "added" && isHeld(object)',
  ),
  podGroups(
    "pods wake nobody",
    `${groups}/controller.ts`,
    "pods.wakes(queue, podRule({ groups }));",
    "void [queue, podRule];",
  ),
  podGroups(
    "groups go whatever uses them",
    `${groups}/controller.ts`,
    "pods.lister.byIndex(ACTIVE_PODS, key).length > 0",
    "pods.lister.byIndex(ACTIVE_PODS, key).length > 99",
  ),
  podGroups(
    "groups stay",
    `${groups}/controller.ts`,
    "pods.lister.byIndex(ACTIVE_PODS, key).length > 0",
    "pods.lister.byIndex(ACTIVE_PODS, key).length >= 0",
  ),
  podGroups(
    "the finalizer is another",
    `${groups}/controller.ts`,
    '"scheduling.k8s.io/podgroup-protection"',
    '"scheduling.k8s.io/pod-group-protection"',
  ),
  podGroups(
    "the gate is another",
    `${groups}/controller.ts`,
    '["GenericWorkload"]',
    '["DRAWorkloadResourceClaims"]',
  ),
  podGroups(
    "the name is another",
    `${groups}/controller.ts`,
    '"podgroup-protection-controller"',
    '"podgroupprotection-controller"',
  ),
  podGroups(
    "deleted pods wake nobody",
    `${groups}/handlers.ts`,
    'type !== "deleted" && heldGroupsOf(object).length > 0',
    'type === "deleted" || heldGroupsOf(object).length > 0',
  ),
  podGroups(
    "pods that have ended wake nobody",
    `${groups}/handlers.ts`,
    'type !== "deleted" && heldGroupsOf(object).length > 0',
    'type !== "deleted"',
  ),
  podGroups(
    "pods that go on wake their group",
    `${groups}/handlers.ts`,
    'if (type !== "deleted" && heldGroupsOf(object).length > 0) return;',
    "void [type, heldGroupsOf];",
  ),
  podGroups(
    "groups that nobody deletes are woken",
    `${groups}/handlers.ts`,
    "if (groups.lister.getByKey(key)?.metadata.deletionTimestamp !== undefined) wake(key);",
    "void groups, wake(key);",
  ),
];

const embedded: readonly Mutant[] = [
  alphas(
    "an answer changes",
    "pkg/apiserver/kinds/devices/pool-status-request.ts",
    'if (present(before, "status")) return',
    "if (present(before, 'none')) return",
  ),
  alphas(
    "a request has no limit",
    "pkg/apiserver/kinds/devices/pool-status-request.ts",
    'setDefault(specOf(draft), "limit", DEFAULT_LIMIT)',
    "void DEFAULT_LIMIT, void setDefault, void specOf(draft)",
  ),
  alphas(
    "a request is written without its version",
    "pkg/apiserver/kinds/devices/pool-status-request.ts",
    "  unconditionalUpdate: false,\n",
    "",
  ),
  alphas(
    "groups are not protected",
    "pkg/apiserver/admission/built-in-admission.ts",
    "    podGroupProtection,\n",
    "",
  ),
  alphas(
    "a group needs no Workload",
    "pkg/apiserver/admission/built-in-admission.ts",
    "    podGroupWorkload(reader),\n",
    "",
  ),
  alphas(
    "a Workload that goes has groups",
    "pkg/apiserver/admission/pod-groups.ts",
    "if (workload.metadata.deletionTimestamp !== undefined)",
    "if (workload.metadata.deletionTimestamp === '')",
  ),
  alphas(
    "pods lose their groups where there are some",
    "pkg/apiserver/embedded-server.ts",
    "withGroups ? known : known.map(withoutSchedulingGroups)",
    "withGroups && known.length === 0 ? known : known.map(withoutSchedulingGroups)",
  ),
  alphas(
    "pods keep groups that there are not",
    "pkg/apiserver/embedded-server.ts",
    "withGroups ? known : known.map(withoutSchedulingGroups)",
    "withGroups ? known : known.map((each) => (each === undefined ? withoutSchedulingGroups(each) : each))",
  ),
  alphas(
    "templates keep groups that there are not",
    "pkg/apiserver/kinds/pod/scheduling-group.ts",
    '  "deployments.apps": ["spec", "template", "spec"],\n',
    "",
  ),
];

/** Controllers and kinds of features of devices that are off by default. */
export const deviceAlphasMutants: readonly Mutant[] = [...rules, ...wiring, ...ofGroups, ...embedded];
