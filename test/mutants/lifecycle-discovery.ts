import type { Mutant } from "./mutant.ts";

const collector = "controllers/garbagecollector";
const quota = "controllers/resourcequota";
const unlisted = [`${collector}/unlisted.test.ts`];
const monitors = ["pkg/controller/monitors.test.ts"];

/** From what the server serves to informers. */
export const lifecycleDiscoveryMutants: readonly Mutant[] = [
  {
    name: "what a failed group has is watched no more",
    file: "pkg/controller/monitor-plan.ts",
    find: "synced && doubtful.has(resource.group)",
    replace: "synced && doubtful.has(resource.plural)",
    tests: monitors,
  },
  {
    name: "what never was listed is kept for a failed group",
    file: "pkg/controller/monitor-plan.ts",
    find: "synced && doubtful.has(resource.group)",
    replace: "doubtful.has(resource.group) || !synced",
    tests: monitors,
  },
  {
    name: "an answer without anything ends all monitors",
    file: "pkg/controller/monitor-plan.ts",
    find: "if (found.length === 0) return undefined;",
    replace: "",
    tests: monitors,
  },
  {
    name: "a failed version makes another version of the same resource a second monitor",
    file: "pkg/controller/monitor-plan.ts",
    find: "const wanted = found.filter((resource) => !keptNames.has(groupResource(resource)));",
    replace: "const wanted = found;",
    tests: monitors,
  },
  {
    name: "monitors believe what discovery said the first time",
    file: "pkg/controller/monitors.ts",
    find: "discovery.invalidate();",
    replace: "",
    tests: monitors,
  },
  {
    name: "a failure of discovery ends the monitors",
    file: "pkg/controller/monitors.ts",
    find: 'log.error(error, "What the server serves could not be followed; nothing changes");',
    replace: "throw error;",
    tests: monitors,
  },
  {
    name: "a failure of discovery is not counted",
    file: "pkg/controller/monitors.ts",
    find: 'could not be followed; nothing changes");\n      onFailure?.();',
    replace: 'could not be followed; nothing changes");',
    tests: monitors,
  },
  {
    name: "garbage is collected before it is known what there is",
    file: "pkg/controller/monitors.ts",
    find: "if (await this.syncInTime(signal)) return;",
    replace: "void signal; return;",
    tests: ["controllers/garbagecollector/known.test.ts"],
  },
  {
    name: "resources that cannot be listed keep all others from being collected",
    file: "pkg/controller/monitors.ts",
    find: "if (await this.syncInTime(signal)) return;",
    replace: "while (!(await this.syncInTime(signal))) signal.throwIfAborted();",
    tests: ["controllers/garbagecollector/known.test.ts"],
  },
  {
    name: "a resource that is listed late is never told of",
    file: "pkg/controller/monitors.ts",
    find: "await this.#change(plan.start, plan.stop, signal);\n      await this.#tellListed();",
    replace: "await this.#change(plan.start, plan.stop, signal);",
    tests: monitors,
  },
  {
    name: "a resource is told of before it is listed",
    file: "pkg/controller/monitors.ts",
    find: "if (!monitor.registration.hasSynced()) continue;",
    replace: "",
    tests: monitors,
  },
  {
    name: "what a resource was before is forgotten",
    file: "pkg/controller/monitors.ts",
    find: ".set(key, resource));",
    replace: ".set(name, resource));",
    tests: monitors,
  },
  {
    name: "a handler that has ended goes on listening",
    file: "pkg/controller/monitors.ts",
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
    file: `${collector}/sync-collect-objects.ts`,
    find: "if (isEnding && !node.unlisted) return false;",
    replace: "if (isEnding) return false;",
    tests: unlisted,
  },
  {
    name: "another object with the name is taken for the one in the graph",
    file: `${collector}/sync-doubt-unlisted.ts`,
    find: "if (listed?.metadata.uid === identity.uid) return;",
    replace: "if (listed !== undefined) return;",
    tests: unlisted,
  },
  {
    name: "what a new list lacks is looked for in a version that is not served",
    file: `${collector}/consequences.ts`,
    find: "node.identity = identity;\n  node.unlisted = true;",
    replace: "node.unlisted = true;",
    tests: unlisted,
  },
  {
    name: "an object keeps the version in which it was seen first",
    file: `${collector}/consequences.ts`,
    find: "node.identity = identity;\n  node.unlisted = false;",
    replace: "node.unlisted = false;",
    tests: unlisted,
  },
  {
    name: "a monitor starts without the first list of its resource, and quotas are not counted",
    file: `${quota}/controller.ts`,
    find: "onListed: ({ resource }) => countListed(resource, context),",
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
  {
    name: "nothing that is watched can be collected while discovery is refused",
    file: `${collector}/apply.ts`,
    find: "if (monitor !== undefined) return monitor.resource;",
    replace: "",
    tests: unlisted,
  },
];
