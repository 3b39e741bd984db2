import type { Mutant } from "./mutant.ts";

const collector = "controllers/garbagecollector";
const namespace = "controllers/namespace";
const token = "controllers/serviceaccount/token";
const quota = "controllers/resourcequota";
const names = [`${collector}/names.test.ts`];
const unlisted = [`${collector}/unlisted.test.ts`];
const monitors = ["pkg/reconcile/monitors.test.ts"];

/** Where a name is taken for an object, and where part of what was to be done failed. */
const identities: readonly Mutant[] = [
  {
    name: "the garbage collector takes whatever has the name for the object",
    file: `${collector}/apply.ts`,
    find: "return readLive(client, { ...ref, uid: identity.uid }, signal);",
    replace: "return client.get(ref, {}, signal);",
    tests: names,
  },
  {
    name: "the garbage collector takes a finalizer off whatever has the name",
    file: `${collector}/apply.ts`,
    find: "const latest = await readObject(context, identity, signal);",
    replace: "const latest = await client.get(ref, {}, signal);",
    tests: names,
  },
  {
    name: "an owner that lives is remembered as absent",
    file: `${collector}/sync.ts`,
    find: "if (owner === undefined) absentOwners.add(identity);",
    replace: "if (owner !== undefined) absentOwners.add(identity);",
    tests: [`${collector}/sync.test.ts`],
  },
  {
    name: "a namespace made anew is finalized",
    file: `${namespace}/apply.ts`,
    find: "latest = await readLive(namespaceClient, identity, signal)",
    replace: 'latest = await namespaceClient.get({ name: namespace.metadata.name ?? "" }, {}, signal)',
    tests: [`${namespace}/sync.test.ts`],
  },
  {
    name: "an account inherits the credentials of one that is gone",
    file: `${token}/sync-secret.ts`,
    find: 'return uid === "" || uid === account?.metadata.uid ? account : undefined;',
    replace: "return account;",
    tests: [`${token}/sync.test.ts`],
  },
  {
    name: "an account loses its reference with the token of another of its name",
    file: `${token}/apply.ts`,
    find: 'if (uid !== "" && uid !== account.metadata.uid) return;',
    replace: "",
    tests: [`${token}/sync.test.ts`],
  },
  {
    name: "a dependent that could not be made an orphan is forgotten, and deleted",
    file: `${collector}/sync-orphans.ts`,
    find: "if (!isNotFound(error)) failures.push(error);",
    replace: "if (!isNotFound(error)) log.error(error, `not an orphan: ${failures.length}`);",
    tests: names,
  },
  {
    name: "the first object that cannot be deleted keeps the others of the namespace",
    file: `${namespace}/sync-resource.ts`,
    find: "if (!isNotServed(error)) failures.push(error);",
    replace: "throw error;",
    tests: [`${namespace}/sync-content.test.ts`],
  },
  {
    name: "an object that cannot be deleted is passed over in silence",
    file: `${namespace}/sync-resource.ts`,
    find: "if (!isNotServed(error)) failures.push(error);",
    replace: "",
    tests: [`${namespace}/sync-content.test.ts`],
  },
  {
    name: "a token that was not deleted with its account is forgotten",
    file: `${token}/sync-account.ts`,
    find: "if (failures.length > 0)",
    replace: "if (failures.length > tokens.length)",
    tests: [`${token}/sync.test.ts`],
  },
  {
    name: "a namespace is let go as it was read first, and meets a conflict",
    file: `${namespace}/sync.ts`,
    find: "await finalize(context, written, signal);",
    replace: "await finalize(context, namespace, signal); void written;",
    tests: [`${namespace}/sync.test.ts`],
  },
  {
    name: "a namespace that could not be let go is forgotten",
    file: `${namespace}/sync.ts`,
    find: "await finalize(context, written, signal);",
    replace: "await finalize(context, written, signal).catch(() => undefined);",
    tests: [`${namespace}/sync.test.ts`],
  },
];

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
    file: `${quota}/controller.ts`,
    find: 'fields: ["spec.extendedResourceName"],',
    replace: "fields: [],",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "the mark of a claim that was made for a pod is not read",
    file: `${quota}/measured.ts`,
    find: '"metadata.annotations[resource.kubernetes.io/extended-resource-claim]", ',
    replace: "",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "the claim that a pod names is not read",
    file: `${quota}/measured.ts`,
    find: '"status.extendedResourceClaimStatus.resourceClaimName",',
    replace: "",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "a change of classes wakes no quota",
    file: `${quota}/controller.ts`,
    find: "classes.addHandler(deviceClassHandler(context, queues), { resyncMs: 0 });",
    replace: "",
    tests: [`${quota}/devices.test.ts`],
  },
  {
    name: "a class that gets a name wakes no quota",
    file: `${quota}/handlers.ts`,
    find: "if (before.spec.extendedResourceName !== after.spec.extendedResourceName) wake();",
    replace: "",
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
    find: "isUrgent(quota, tracked, context.devices()) ? urgent : primary",
    replace: "isUrgent(quota, tracked, context.devices()) ? primary : urgent",
    tests: [`${quota}/queues.test.ts`],
  },
  {
    name: "changes are never looked at",
    file: `${quota}/controller.ts`,
    find: "sync: async (key) => syncChange(key, context, queues),",
    replace: "sync: async () => ({}),",
    tests: [`${quota}/sync.test.ts`],
  },
  {
    name: "a change wakes quotas that are not about it",
    file: `${quota}/sync-changes.ts`,
    find: "if (limitsResource(quota, monitor.resource, context.devices()))",
    replace: "if (!limitsResource(quota, monitor.resource, context.devices()))",
    tests: [`${quota}/sync.test.ts`],
  },
  {
    name: "a change that gives room may not lower what the status says",
    file: `${quota}/handlers.ts`,
    find: "mayUseLess.add(keyOf(quota));",
    replace: "",
    tests: [`${quota}/sync.test.ts`],
  },
  {
    name: "a count that failed may not lower what the status says",
    file: `${quota}/sync.ts`,
    find: "if (mayUseLess) context.mayUseLess.add(key);",
    replace: "",
    tests: [`${quota}/sync.test.ts`],
  },
];

/** From what the server serves to informers. */
const discovery: readonly Mutant[] = [
  {
    name: "what a failed group has is watched no more",
    file: "pkg/reconcile/monitor-plan.ts",
    find: "synced && doubtful.has(resource.group)",
    replace: "synced && doubtful.has(resource.plural)",
    tests: monitors,
  },
  {
    name: "what never was listed is kept for a failed group",
    file: "pkg/reconcile/monitor-plan.ts",
    find: "synced && doubtful.has(resource.group)",
    replace: "doubtful.has(resource.group) || !synced",
    tests: monitors,
  },
  {
    name: "an answer without anything ends all monitors",
    file: "pkg/reconcile/monitor-plan.ts",
    find: "if (found.length === 0) return undefined;",
    replace: "",
    tests: monitors,
  },
  {
    name: "a failed version makes another version of the same resource a second monitor",
    file: "pkg/reconcile/monitor-plan.ts",
    find: "const wanted = found.filter((resource) => !keptNames.has(groupResource(resource)));",
    replace: "const wanted = found;",
    tests: monitors,
  },
  {
    name: "monitors believe what discovery said the first time",
    file: "pkg/reconcile/monitors.ts",
    find: "discovery.invalidate();",
    replace: "",
    tests: monitors,
  },
  {
    name: "a failure of discovery ends the monitors",
    file: "pkg/reconcile/monitors.ts",
    find: 'log.error(error, "What the server serves could not be followed; nothing changes");',
    replace: "throw error;",
    tests: monitors,
  },
  {
    name: "a failure of discovery is not counted",
    file: "pkg/reconcile/monitors.ts",
    find: 'could not be followed; nothing changes");\n      onFailure?.();',
    replace: 'could not be followed; nothing changes");',
    tests: monitors,
  },
  {
    name: "a resource that is listed late is never told of",
    file: "pkg/reconcile/monitors.ts",
    find: "await this.#change(plan.start, plan.stop, signal);\n      await this.#tellListed();",
    replace: "await this.#change(plan.start, plan.stop, signal);",
    tests: monitors,
  },
  {
    name: "a resource is told of before it is listed",
    file: "pkg/reconcile/monitors.ts",
    find: "if (!monitor.registration.hasSynced()) continue;",
    replace: "",
    tests: monitors,
  },
  {
    name: "what a resource was before is forgotten",
    file: "pkg/reconcile/monitors.ts",
    find: ".set(key, resource));",
    replace: ".set(name, resource));",
    tests: monitors,
  },
  {
    name: "a handler that has ended goes on listening",
    file: "pkg/reconcile/monitors.ts",
    find: "monitor.registration.remove();",
    replace: "",
    tests: monitors,
  },
  {
    name: "what went while nobody watched stays in the graph",
    file: `${collector}/controller.ts`,
    find: "doubtUnlisted(context, monitor, former),",
    replace: "doubtUnlisted(context, monitor, former.slice(former.length)),",
    tests: unlisted,
  },
  {
    name: "what went while nobody watched and was being deleted stays in the graph",
    file: `${collector}/sync.ts`,
    find: "if (isEnding && !node.unlisted) return false;",
    replace: "if (isEnding) return false;",
    tests: unlisted,
  },
  {
    name: "another object with the name is taken for the one in the graph",
    file: `${collector}/sync-resources.ts`,
    find: "if (listed?.metadata.uid === identity.uid) return;",
    replace: "if (listed !== undefined) return;",
    tests: unlisted,
  },
  {
    name: "what a new list lacks is looked for in a version that is not served",
    file: `${collector}/apply-change.ts`,
    find: "node.identity = identity;\n  node.unlisted = true;",
    replace: "node.unlisted = true;",
    tests: unlisted,
  },
  {
    name: "an object keeps the version in which it was seen first",
    file: `${collector}/apply-change.ts`,
    find: "node.identity = identity;\n  node.unlisted = false;",
    replace: "node.unlisted = false;",
    tests: unlisted,
  },
  {
    name: "a monitor starts without the first list of its resource, and quotas are not counted",
    file: `${quota}/controller.ts`,
    find: "onListed: ({ resource }) => countListed(resource, context, queues),",
    replace: "onListed: () => undefined,",
    tests: [`${quota}/discovery.test.ts`],
  },
  {
    name: "quotas are counted while caches are being filled",
    file: `${quota}/controller.ts`,
    find: 'state === "begins" ? pause.begin() : pause.end()',
    replace: "pause.end()",
    tests: [`${quota}/sync.test.ts`],
  },
];

export const lifecycleMutants: readonly Mutant[] = [...identities, ...quotas, ...queues, ...discovery];
