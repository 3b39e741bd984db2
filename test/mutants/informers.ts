import { type Mutant, mutantsOf } from "./mutant.ts";

const informerTests = ["pkg/cache/informer/resource-informer.test.ts"];

const joinedFile = "pkg/cache/informer/joined-informer.ts";
const ofJoined = mutantsOf("informers of some namespaces", ["pkg/cache/informer/joined-informer.test.ts"]);
const joined: readonly Mutant[] = [
  ofJoined(
    "all namespaces are one without a name",
    joinedFile,
    'namespace === ""\n          ? all((lister) => lister.list(selector))\n          : ',
    "",
  ),
  ofJoined(
    "a namespace is searched without the selector",
    joinedFile,
    "lister.inNamespace(namespace, selector) ??",
    "lister.inNamespace(namespace) ??",
  ),
  ofJoined(
    "one namespace that has been read stands for all",
    joinedFile,
    "synced.every(Boolean)",
    "synced.some(Boolean)",
  ),
  ofJoined(
    "one cache that has been read stands for all",
    joinedFile,
    "every((part) => part.hasSynced())",
    "some((part) => part.hasSynced())",
  ),
  ofJoined(
    "handlers stay",
    joinedFile,
    "for (const each of registrations) each.remove();",
    "registrations[0]?.remove();",
  ),
  ofJoined(
    "an index is of one namespace",
    joinedFile,
    "for (const part of this.#parts.values()) part.addIndex(name, index);",
    "[...this.#parts.values()][0]?.addIndex(name, index);",
  ),
  ofJoined(
    "what is on the servers is read of one namespace",
    joinedFile,
    "await part.listLive(onItem, signal);",
    "return part.listLive(onItem, signal);",
  ),
];

const pump: readonly Mutant[] = [
  {
    name: "a change that the cache cannot take leaves its pump dead",
    file: "pkg/cache/informer/delta-pump.ts",
    find: "    this.#pumping = false;\n    this.#letIn();",
    replace: "    this.#letIn();",
    tests: informerTests,
  },
  {
    name: "a change that the cache cannot take leaves the reflector waiting for room",
    file: "pkg/cache/informer/delta-pump.ts",
    find: "    this.#letIn();\n    this.#options.onFailure(error);\n    if (queue.length > 0) this.#wake();",
    replace: "    this.#options.onFailure(error);",
    tests: informerTests,
  },
  {
    name: "a change that the cache cannot take is not read again",
    file: "pkg/cache/informer/resource-informer.ts",
    find: "    this.#reflector.restart(error);\n",
    replace: "",
    tests: informerTests,
  },
  {
    name: "that the cache lacks something is not told",
    file: "pkg/cache/informer/resource-informer.ts",
    find: "    this.#failure = error;\n",
    replace: "",
    tests: informerTests,
  },
  {
    name: "that a kind is not served is told for ever",
    file: "pkg/cache/feed/reflector.ts",
    find: "isNotFound(error) && isNotFound(this.#lastError)",
    replace: "isNotFound(error) && this.#lost !== undefined",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "a cache that has failed once has failed for good",
    file: "pkg/cache/informer/resource-informer.ts",
    find: "this.#failure = undefined;",
    replace: "",
    tests: informerTests,
  },
  {
    name: "a cache that has failed is whole before it is fed anew",
    file: "pkg/cache/informer/resource-informer.ts",
    find: "if (!this.#reflector.isLost && this.#queue.length === 0)",
    replace: "if (this.#queue.length === 0)",
    tests: informerTests,
  },
  {
    name: "handlers do not hear of what stood before a failure in its batch",
    file: "pkg/cache/informer/delta-pump.ts",
    find: "    } finally {\n      // Of what",
    replace: "    } finally {\n      if (resourceVersion === undefined)\n      // Of what",
    tests: informerTests,
  },
  {
    name: "handlers do not hear of what failed after it was in the store",
    file: "pkg/cache/informer/delta-pump.ts",
    find: "if (!this.#untold.has(key)) this.#untold.set(key, before);",
    replace: "",
    tests: informerTests,
  },
  {
    name: "a restart leaves the watch open",
    file: "pkg/cache/feed/reflector.ts",
    find: "    this.#stream?.abort(this.#lost);\n",
    replace: "",
    tests: informerTests,
  },
  {
    name: "a defect of the reflector ends it",
    file: "pkg/cache/feed/reflector.ts",
    find: 'if (!signal.aborted) this.#state = this.#pause("empty", error);',
    replace: "if (!signal.aborted) throw error;",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "a first list that failed counts as taken in",
    file: "pkg/cache/informer/delta-queue.ts",
    find: "    this.#population.failed();\n",
    replace: "    this.done();\n",
    tests: ["pkg/cache/informer/delta-queue.test.ts"],
  },
  {
    name: "after a first list that failed any change completes the cache",
    file: "pkg/cache/informer/delta-queue.ts",
    find: "if (this.#populated || this.#failed) return;",
    replace: "if (this.#populated) return;",
    tests: ["pkg/cache/informer/delta-queue.test.ts"],
  },
  {
    name: "an owner of a task hears nothing of its failure",
    file: "pkg/clock/task-turns.ts",
    find: "      task.failed(error);\n",
    replace: "",
    tests: ["pkg/clock/task-turns.test.ts"],
  },
  {
    name: "health says nothing of a cache that lacks something",
    file: "pkg/manager/health/informer-health.ts",
    find: "if (informer.failure !== undefined)",
    replace: "if (informer.failure === 0)",
    tests: ["pkg/manager/health/informer-health.test.ts"],
  },
  {
    name: "a handler whose drain broke off is never told anything again",
    file: "pkg/cache/informer/handler-queue.ts",
    find: "    this.#draining = false;\n    this.#wake();",
    replace: "",
    tests: ["pkg/cache/informer/handler-set.test.ts"],
  },
  {
    name: "a handler whose drain broke off misses the rest of the batch",
    file: "pkg/cache/informer/handler-queue.ts",
    find: "this.#current ??= this.#pending.shift();",
    replace: "this.#current = this.#pending.shift();",
    tests: ["pkg/cache/informer/handler-set.test.ts"],
  },
  {
    name: "the factory keeps to itself that a cache lacks something",
    file: "pkg/cache/informer/informer-factory.ts",
    find: "failure: informer.failure(),",
    replace: "failure: undefined,",
    tests: ["pkg/cache/informer/informer-factory.test.ts"],
  },
];

const selections: readonly Mutant[] = [
  {
    name: "an object that is labelled anew is selected as before",
    file: "pkg/cache/store/store-index.ts",
    find: "    this.#groups?.changed(key, before, object);\n",
    replace: "",
    tests: ["pkg/cache/store/store.test.ts"],
  },
  {
    name: "an object that was labelled anew is selected last",
    file: "pkg/cache/store/label-groups.ts",
    find: "isInOrder ? objects : inOrderOf(places, objects)",
    replace: "objects",
    tests: ["pkg/cache/store/label-groups.test.ts"],
  },
  {
    name: "what was selected before a change is given after it",
    file: "pkg/cache/store/label-groups.ts",
    find: "    this.#found = undefined;\n    const groups",
    replace: "    const groups",
    tests: ["pkg/cache/store/label-groups.test.ts"],
  },
];

const machinery: readonly Mutant[] = [
  {
    name: "a watch that was aborted before its start is asked for",
    file: "pkg/client/watch-events.ts",
    find: "  signal?.throwIfAborted();\n",
    replace: "",
    tests: ["pkg/client/rest-resource-client.test.ts"],
  },
  {
    name: "an informer that was stopped before its start asks the server",
    file: "pkg/cache/feed/reflector.ts",
    find: "while (!signal.aborted) {",
    replace: "for (;;) {",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "who waits for what is shared and was aborted before waits all the same",
    file: "pkg/client/abortable.ts",
    find: "    if (signal.aborted) onAbort();\n",
    replace: "",
    tests: ["pkg/client/discovery.test.ts"],
  },
  {
    name: "what marks a bookmark does not pass the field mask",
    file: "pkg/api/protobuf/decode.ts",
    find: 'type === "BOOKMARK" ? undefined : wanted',
    replace: "wanted",
    tests: ["pkg/api/protobuf/decode.test.ts", "pkg/client/http/protobuf-frames.test.ts"],
  },
  {
    name: "a DELETE is sent again after a lost connection",
    file: "pkg/client/retry.ts",
    find: 'method === "OPTIONS";',
    replace: 'method === "OPTIONS" || method === "DELETE";',
    tests: ["pkg/client/rest.test.ts"],
  },
  {
    name: "handlers get the state before the deletion",
    file: "pkg/cache/informer/delta-pump.ts",
    find: 'if (store.delete(key) === undefined) return undefined;\n      return { type: "delete", object, missed: false };',
    replace:
      'const before = store.delete(key);\n      return before && { type: "delete", object: before, missed: false };',
    tests: ["pkg/cache/informer/resource-informer.test.ts"],
  },
  {
    name: "credentials that cannot be loaded are tried for with each request",
    file: "pkg/client/config/reloading-identity.ts",
    find: "      this.#dueMs = this.#clock.monotonicMs() + RELOAD_INTERVAL_MS;\n",
    replace: "",
    tests: ["pkg/client/config/reloading-identity.test.ts"],
  },
  {
    name: "credentials that could not be loaded once are never loaded again",
    file: "pkg/client/config/reloading-identity.ts",
    find: "this.#clock.monotonicMs() + RELOAD_INTERVAL_MS;",
    replace: "Infinity;",
    tests: ["pkg/client/config/reloading-identity.test.ts"],
  },
  {
    name: "after a reload that failed the next one waits for it for ever",
    file: "pkg/client/config/reloading-identity.ts",
    find: ".finally(() => (this.#loading = undefined))",
    replace: "",
    tests: ["pkg/client/config/reloading-identity.test.ts"],
  },
  {
    name: "discovery that failed is remembered",
    file: "pkg/client/discovery.ts",
    find: "if (this.#surface === loading) this.#surface = undefined;",
    replace: "",
    tests: ["pkg/client/discovery.test.ts"],
  },
];

const fields: readonly Mutant[] = [
  {
    name: "nobody is told that a consumer reads what it has not declared",
    file: "pkg/cache/informer/informer-factory.ts",
    find: "        strict(error);\n",
    replace: "",
    tests: ["test/harness/undeclared-reads.test.ts"],
  },
  {
    name: "nobody knows who reads what is not declared",
    file: "pkg/controller/controller-set.ts",
    find: "heldInformers(this.#informers.of(descriptor.name))",
    replace: "heldInformers(this.#informers)",
    tests: ["test/harness/undeclared-reads.test.ts"],
  },
  {
    name: "a world does not mind what its controllers read and have not declared",
    file: "test/harness/controller-world.ts",
    find: "    this.#undeclared.check();\n",
    replace: "",
    tests: ["test/harness/undeclared-reads.test.ts"],
  },
  {
    name: "a simulated cluster does not mind what its managers read and have not declared",
    file: "test/sim/world/world.ts",
    find: "this.#violateOnce(message)",
    replace: "void message",
    tests: ["test/harness/undeclared-reads.test.ts"],
  },
  {
    name: "each consumer finds what others declared",
    file: "pkg/cache/informer/informer-factory.ts",
    find: "if (this.#options.strict === undefined ||",
    replace: "if (this.#options.strict !== undefined ||",
    tests: ["pkg/cache/informer/informer-factory.test.ts"],
  },
  {
    name: "ReplicaSets do not declare that they read the cost of a deletion",
    file: "controllers/replicaset/replicas.ts",
    find: "[DELETION_COST_FIELD, ...RANKED_POD_FIELDS]",
    replace: "(void DELETION_COST_FIELD, RANKED_POD_FIELDS)",
    tests: ["test/harness/fields-of-consumers.test.ts"],
  },
  {
    name: "who ranks pods does not declare that it reads restarts",
    file: "pkg/api/pod-ranking.ts",
    find: '  "status.containerStatuses.restartCount",\n',
    replace: "",
    tests: ["test/harness/fields-of-consumers.test.ts"],
  },
  {
    name: "Jobs do not declare what they read of containers that have ended",
    file: "controllers/job/job-pods.ts",
    find: '  "status.containerStatuses.state.terminated.exitCode",\n',
    replace: "",
    tests: ["controllers/job/sync.test.ts"],
  },
  {
    name: "the collector of pods does not declare that it reads the reason",
    file: "controllers/podgc/victims.ts",
    find: '"status.phase", "status.reason",',
    replace: '"status.phase",',
    tests: ["test/harness/fields-of-consumers.test.ts"],
  },
  {
    name: "Deployments do not declare what they read of pods",
    file: "controllers/deployment/recreate.ts",
    find: 'export const POD_FIELDS = ["status.phase"] as const;',
    replace: "export const POD_FIELDS = [] as const;",
    tests: ["test/harness/fields-of-consumers.test.ts"],
  },
  {
    name: "quotas do not declare what they read of claims",
    file: "controllers/resourcequota/context.ts",
    find: "kit.reads(resources.resourceClaims, { fields: DEVICE_CLAIM_FIELDS })",
    replace: "(void DEVICE_CLAIM_FIELDS, kit.reads(resources.resourceClaims, { fields: [] }))",
    tests: ["controllers/resourcequota/devices.test.ts"],
  },
];

export const informersMutants: readonly Mutant[] = [
  ...joined,
  ...pump,
  ...selections,
  ...machinery,
  ...fields,
];
