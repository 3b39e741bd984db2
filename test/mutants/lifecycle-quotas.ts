import type { Mutant } from "./mutant.ts";

const quota = "controllers/resourcequota";

/** What is used of quotas. */
const quotas: readonly Mutant[] = [
  {
    name: "claims use no extended resources",
    file: "pkg/api/quota/usage.ts",
    find: "isDeviceLimit(name) || isOffered(name, devices)",
    replace: "isDeviceLimit(name)",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "a claim that was made for a pod counts twice",
    file: "pkg/api/quota/usage.ts",
    find: "if (pod !== undefined) addPodUsage(counted, pod, nowMs);",
    replace: "",
    tests: ["pkg/api/quota/devices.test.ts"],
  },
  {
    name: "a claim is of whatever pod has the name",
    file: "pkg/api/quota/devices.ts",
    find: "pod === undefined || pod.metadata.uid !== owner.uid",
    replace: "pod === undefined",
    tests: ["pkg/api/quota/devices.test.ts"],
  },
  {
    name: "every claim of a pod is the one that was made for it",
    file: "pkg/api/quota/devices.ts",
    find: "return rivals.every((other) => !isBefore(other, claim)) ? pod : undefined;",
    replace: "return rivals.length >= 0 ? pod : undefined;",
    tests: ["pkg/api/quota/devices.test.ts"],
  },
  {
    name: "devices are counted before their classes are known",
    file: `${quota}/usage.ts`,
    find: "return devices !== undefined;",
    replace: "return true;",
    tests: [`${quota}/usage.test.ts`],
  },
  {
    name: "devices of claims that are not watched are erased",
    file: `${quota}/usage.ts`,
    find: "return devices === undefined || !isOffered(name, devices);",
    replace: "return true;",
    tests: [`${quota}/usage.test.ts`],
  },
  {
    name: "devices of claims in another version count as none",
    file: `${quota}/sync.ts`,
    find: "isForeign: isMeasured(resource) && fieldsOf(resource) === undefined,",
    replace: "isForeign: false,",
    tests: [`${quota}/discovery.test.ts`],
  },
  {
    name: "the name of a class is not read",
    file: "pkg/api/quota/devices.ts",
    find: '["spec.extendedResourceName"] as const',
    replace: "[] as const",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "the mark of a claim that was made for a pod is not read",
    file: "pkg/api/quota/fields.ts",
    find: '  "metadata.annotations[resource.kubernetes.io/extended-resource-claim]",\n',
    replace: "",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "the claim that a pod names is not read",
    file: "pkg/api/quota/fields.ts",
    find: '"status.extendedResourceClaimStatus.resourceClaimName",',
    replace: "",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "a change of classes wakes no quota",
    file: `${quota}/controller.ts`,
    find: "classes.wakes(context.primary, changedClass(context));",
    replace: "void [classes, changedClass];",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "a class that gets a name wakes no quota",
    file: `${quota}/handlers.ts`,
    find: "if (before.spec.extendedResourceName === object.spec.extendedResourceName) return;",
    replace: "return;",
    tests: [`${quota}/devices.test.ts`],
  },
];

/** Queues, and what they are given. */
const queues: readonly Mutant[] = [
  {
    name: "the queue of changes has another name than in upstream's dashboards",
    file: `${quota}/controller.ts`,
    find: '"resource_quota_controller_resource_changes"',
    replace: '"resourcequota_changes"',
    tests: [`${quota}/queues.test.ts`],
  },
  {
    name: "a quota whose usage is not known waits with the others",
    file: `${quota}/handlers.ts`,
    find: 'context.devices()) ? "urgent" : "usual"',
    replace: 'context.devices()) ? "usual" : "urgent"',
    tests: [`${quota}/queues.test.ts`],
  },
  {
    name: "changes are never looked at",
    file: `${quota}/controller.ts`,
    find: "sync: async (sync) => syncChange(sync, context),",
    replace: "sync: async () => ({}),",
    tests: [`${quota}/sync.test.ts`],
  },
  {
    name: "a change wakes quotas that are not about it",
    file: `${quota}/sync-changes.ts`,
    find: "if (!limitsResource(quota, monitor.resource, devices())) continue;",
    replace: "if (limitsResource(quota, monitor.resource, devices())) continue;",
    tests: [`${quota}/sync.test.ts`],
  },
  {
    name: "a change that gives room may not lower what the status says",
    file: `${quota}/handlers.ts`,
    find: "mayUseLess.set(quota, true);",
    replace: "",
    tests: [`${quota}/sync.test.ts`],
  },
  {
    name: "a count that failed may not lower what the status says",
    file: `${quota}/sync.ts`,
    find: "if (mayUseLess) context.mayUseLess.set(owner, true);",
    replace: "",
    tests: [`${quota}/sync.test.ts`],
  },
];

export const lifecycleQuotaMutants: readonly Mutant[] = [...quotas, ...queues];
