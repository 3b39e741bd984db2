import type { Mutant } from "./mutant.ts";

const builder = "pkg/controller/builder";
const tests = [`${builder}/builder.test.ts`];
const website = ["test/examples/website/operator.test.ts"];
const manager = ["pkg/manager/manager.test.ts"];
const spareMemory = ["pkg/manager/spare-memory.test.ts"];
const pageServer = ["pkg/manager/page-server.test.ts"];
const managed = ["test/integration/operators/managed-webhooks.test.ts"];

function row(
  name: string,
  file: string,
  [find, replace]: readonly [find: string, replace: string],
  by: readonly string[] = tests,
): Mutant {
  return { name: `the upper floor: ${name}`, file, find, replace, tests: by };
}

const reads: readonly Mutant[] = [
  row("what is read wakes nobody", `${builder}/wiring.ts`, [
    "for (const key of shop.interests.concerned(id, change)) queue.changed(key, told, change, debounceMs);",
    "void [shop, queue, told];",
  ]),
  row("what is not read any more wakes for ever", `${builder}/interests.ts`, [
    "for (const [id, interest] of former) if (!noted.has(id)) this.#remove(key, id, interest);",
    "",
  ]),
  row("a reconcile that failed has read nothing", `${builder}/interests.ts`, [
    "this.#ofObject.set(key, new Map(former));",
    "for (const [id, interest] of former) this.#remove(key, id, interest);\n    this.#ofObject.set(key, new Map());",
  ]),
  row("what leaves a list wakes nobody", `${builder}/interests.ts`, [
    'change.type === "updated" ? [change.before, change.object] : [change.object]',
    "[change.object]",
  ]),
  row("a reconcile does not see what it has written", `${builder}/run-reads.ts`, [
    "if (written === undefined) return cached;",
    "if (written === undefined || cached === undefined) return cached;",
  ]),
  row("a reconcile sees what it has deleted", `${builder}/run-reads.ts`, [
    "if (gone) return cached?.metadata.uid === object.metadata.uid ? undefined : cached;",
    "if (gone) return cached;",
  ]),
];

const applies: readonly Mutant[] = [
  row("what is applied is sent each time", `${builder}/run-applies.ts`, [
    "if (before.version === live.metadata.resourceVersion) return true;",
    "if (before.version !== undefined) return false;",
  ]),
  row("drift is not repaired", `${builder}/run-applies.ts`, [
    "return before.values === digest(textOf(live, before.owned));",
    "return true;",
  ]),
  row("what is not wanted any more stays", `${builder}/run-applies.ts`, [
    "if (before.wanted !== wanted) return false;",
    "",
  ]),
  row("what others have set counts as drift", `${builder}/managed-fields.ts`, [
    'return JSON.stringify(pick(value, owned)) ?? "";',
    "return JSON.stringify([value, owned]);",
  ]),
  row(
    "a new process applies all anew",
    `${builder}/run-applies.ts`,
    [
      "if (seen === undefined || owned === undefined || !isApplied(object, seen, owned)) return false;",
      "if (seen !== undefined) return false;",
    ],
    website,
  ),
  row("what an earlier process has applied is asked for, object by object", `${builder}/run-applies.ts`, [
    "kept === undefined ? await",
    "kept !== null ? await",
  ]),
  row("caches do not keep what was applied", `${builder}/object-caches.ts`, [
    "namespaces, applied, beside: true",
    "namespaces, applied: applied && undefined, beside: true",
  ]),
  row(
    "what was applied to one object counts for all",
    "pkg/cache/store/applied-fields.ts",
    ["const known = this.#sets.get(text);", "const [known] = this.#sets.values();"],
    ["pkg/cache/store/applied-fields.test.ts", ...tests],
  ),
  row("the objects of others are taken over", `${builder}/run-applies.ts`, [
    "if (owned) this.#checkController(resource, live);",
    "",
  ]),
  row("what goes with its owner is made anew", `${builder}/run-applies.ts`, [
    "if (live === undefined || live.metadata.deletionTimestamp !== undefined)\n",
    "if (live === null)\n",
  ]),
  row("what nobody owns is pruned", `${builder}/run-applies.ts`, [
    ".byIndex(OWNER_INDEX, this.#owner.metadata.uid)",
    ".list()",
  ]),
];

const statuses: readonly Mutant[] = [
  row("a status that is refused is not written on what the server has", `${builder}/run-status.ts`, [
    "if (!isConflict(error) || tries === MOST_TRIES) throw error;",
    "if (tries > 0) throw error;",
  ]),
  row("conditions do not say what was looked at", `${builder}/status.ts`, [
    "setCondition(all, { ...seen, ...each }, nowMs)",
    "setCondition(all, each, nowMs)",
  ]),
];

const wiring: readonly Mutant[] = [
  row("an object goes before what is to be done", `${builder}/reconciler.ts`, [
    "if (requeueAfterMs !== undefined) return { requeueAfterMs };",
    "",
  ]),
  row("the finalizers of others are lost", `${builder}/reconciler.ts`, [
    "[...finalizers, this.#finalizer]",
    "[this.#finalizer]",
  ]),
  row("all objects are the controller's", `${builder}/wiring.ts`, [
    "{ reconcile, concerns, finalize,",
    "{ reconcile, concerns: undefined && concerns, finalize,",
  ]),
  row("onError is not asked", `${builder}/wiring.ts`, [
    "judge: (key, error) => reconciler.judge(owners.lister.getByKey(key), error),",
    "",
  ]),
  row("objects of all labels are read", `${builder}/object-caches.ts`, [
    "{ ...options, namespaces, labelSelector }",
    "{ ...options, namespaces, ...(labelSelector && {}) }",
  ]),
  row("failures are not counted", `${builder}/reconciler.ts`, [
    "failures.set(sync.owner, (failures.get(sync.owner) ?? 0) + 1);",
    "failures.set(sync.owner, 1);",
  ]),
  row("a reconcile has all the time", `${builder}/wiring.ts`, ["timeoutMs = 0, resyncMs", "resyncMs"]),
  row("what is watched does not wake what it concerned before", `${builder}/wiring.ts`, [
    "new Set([...before, ...keysOf(change.object)])",
    "new Set([...before.slice(0, 0), ...keysOf(change.object)])",
  ]),
  row("the predicate is not asked", `${builder}/predicates.ts`, [
    "predicate(change.before, change.object);",
    "true;",
  ]),
  row("other namespaces are read", `${builder}/wiring.ts`, [
    "    namespaces,\n    manager: name,",
    "    namespaces: namespaces && undefined,\n    manager: name,",
  ]),
  row(
    "owners without a namespace are not found",
    "pkg/controller/wake-rules.ts",
    ["resource.namespaced ? object.metadata.namespace : undefined", "object.metadata.namespace"],
    ["pkg/controller/wake-rules.test.ts"],
  ),
  row(
    "an error for good is tried again",
    "pkg/controller/worker.ts",
    ['judge?.(key, error) ?? (isPermanent(error) ? "drop" : undefined)', "judge?.(key, error)"],
    ["pkg/controller/worker.test.ts"],
  ),
];

const fields = [`${builder}/fields.test.ts`];
const parts: readonly Mutant[] = [
  row(
    "objects are read whole, whatever fields were asked for",
    `${builder}/controller.ts`,
    [
      "caches.declarePart(resource, fields, options)",
      'caches.declarePart(resource, [...fields, "spec"], options)',
    ],
    fields,
  ),
  row(
    "with fields objects of all labels are read",
    `${builder}/object-caches.ts`,
    ["{ ...options, namespaces, fields }", "{ ...(options && {}), namespaces, fields }"],
    fields,
  ),
  row(
    "with fields other namespaces are read",
    `${builder}/object-caches.ts`,
    ["{ ...options, namespaces, fields }", "{ ...options, ...(namespaces && {}), fields }"],
    fields,
  ),
  row(
    "a status is decided on a part of it",
    `${builder}/controller.ts`,
    ['fields?.includes("status") ?? true', 'fields?.some((path) => path.startsWith("status")) ?? true'],
    fields,
  ),
  row(
    "after its finalizer an object is whole",
    `${builder}/reconciler.ts`,
    [
      "return { ...object, metadata: { ...object.metadata, finalizers, resourceVersion } };",
      "return { ...object, metadata: { ...object.metadata, resourceVersion, ...(finalizers && {}) } };",
    ],
    fields,
  ),
];

const programs: readonly Mutant[] = [
  row(
    "a controller that is removed goes on reading",
    "pkg/controller/controller-set.ts",
    ["    await member.informers.releaseAll();\n", ""],
    manager,
  ),
  row(
    "a controller that is removed goes on hearing",
    "pkg/controller/kit.ts",
    ["          for (const cache of this.#caches) cache.end();\n", ""],
    manager,
  ),
  row(
    "memory of the start is kept",
    "pkg/manager/manager.ts",
    [
      "    this.#set = set;\n    this.#memory?.releaseLater();\n",
      "    this.#set = set;\n    this.#memory?.stop();\n",
    ],
    manager,
  ),
  row(
    "a manager that has ended collects garbage",
    "pkg/manager/manager.ts",
    ["      this.#memory?.stop();\n", ""],
    manager,
  ),
  row("a warm standby is cold", "pkg/manager/manager.ts", ["      warm.warmUp(signal);\n", ""], manager),
  row(
    "memory is looked for in the middle of work",
    "pkg/manager/spare-memory.ts",
    ["if (isQuiet && usedBytes", "void isQuiet;\n      if (usedBytes"],
    spareMemory,
  ),
  row(
    "memory that is in use is looked for again and again",
    "pkg/manager/spare-memory.ts",
    ["usedBytes - leftBytes >= WASTE_BYTES", "usedBytes - MOST_HEAP_BYTES / 2 <= WASTE_BYTES"],
    spareMemory,
  ),
  row(
    "a standby writes",
    "pkg/manager/manager.ts",
    ["warm ?? this.#newSet(clients, elector.fence)", "warm ?? this.#newSet(clients, openGate)"],
    manager,
  ),
  row(
    "a lost Lease is no failure",
    "pkg/manager/manager.ts",
    ['if (outcome === "lost") throw new LeaseLostError', 'if (outcome !== "lost") throw new LeaseLostError'],
    manager,
  ),
  row(
    "who has not ended in time is not told of",
    "pkg/manager/manager.ts",
    ["if (!clean) throw", "if (clean === undefined) throw"],
    manager,
  ),
];

const tested: readonly Mutant[] = [
  row(
    "who leads no more writes on",
    "pkg/testing/test-process.ts",
    [
      "canWrite: () => !signal.aborted, signal",
      "canWrite: () => signal !== undefined, signal: new AbortController().signal",
    ],
    ["pkg/testing/explore.test.ts"],
  ),
  row(
    "nobody leads after a hand-over",
    "pkg/testing/test-cluster.ts",
    ["      process.depose();\n      this.#launch(controllers);", "      process.depose();"],
    ["pkg/testing/explore.test.ts"],
  ),
];

const served: readonly Mutant[] = [
  row(
    "metrics are for everybody",
    "pkg/manager/served-pages.ts",
    ["if (everybody) return { certificate };", "if (everybody || secure) return { certificate };"],
    managed,
  ),
  row(
    "who is known may see all metrics",
    "pkg/manager/access/delegated-guard.ts",
    ['if (result === "allowed") return undefined;', 'if (result !== "denied") return undefined;'],
    managed,
  ),
  row(
    "a token that is nobody's is an error of the server",
    "pkg/manager/access/delegated-guard.ts",
    ["if (error instanceof AuthenticationError) return", "if (error === undefined) return"],
    managed,
  ),
  row(
    "each path is reviewed as another",
    "pkg/manager/access/delegated-guard.ts",
    ["await ask({ user, verb, path });", 'await ask({ user, verb, path: path && "/metrics" });'],
    managed,
  ),
  row(
    "what is defined is not converted",
    "pkg/manager/managed-webhooks.ts",
    ["webhooks: [...run, ...converted],", "webhooks: [...run, ...converted.slice(0, 0)],"],
    managed,
  ),
  row(
    "definitions do not say where they are converted",
    "pkg/manager/manager.ts",
    ["...(conversionWebhook && { conversionWebhook })", "...(conversionWebhook && {})"],
    managed,
  ),
  row(
    "webhooks are on the usual port, whatever is said",
    "pkg/manager/managed-webhooks.ts",
    ["    ...(port.webhooks !== undefined && { listen: { port: port.webhooks } }),\n", ""],
    managed,
  ),
  row(
    "who is not ready to answer is ready",
    "pkg/manager/manager.ts",
    ['server.lacks.join("; ") || undefined', 'server.lacks.join("; ") && undefined'],
    manager,
  ),
  row(
    "webhooks that cannot be served are no failure",
    "pkg/manager/manager.ts",
    ['throw new StartError("the webhooks cannot be served", error);', "void error;"],
    manager,
  ),
  row(
    "health shares its port with metrics that are not for everybody",
    "pkg/manager/served-pages.ts",
    ["if (isOne && secure !== undefined)", "if (isOne && secure === null)"],
    manager,
  ),
  row(
    "a certificate in files is read once",
    "pkg/manager/page-server.ts",
    ["if (pair !== undefined) server.setSecureContext", "if (pair === undefined) server.setSecureContext"],
    pageServer,
  ),
  row(
    "a certificate that cannot be used ends the looking after",
    "pkg/manager/page-server.ts",
    [
      'if (signal.aborted) return;\n      log.error(error, "The certificate',
      'return log.error(error, "The certificate',
    ],
    pageServer,
  ),
];

/** What users' controllers stand on. */
export const upperFloorMutants: readonly Mutant[] = [
  ...reads,
  ...applies,
  ...statuses,
  ...wiring,
  ...parts,
  ...programs,
  ...served,
  ...tested,
];
