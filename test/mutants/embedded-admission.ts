import type { Mutant } from "./mutant.ts";

const roles: readonly Mutant[] = [
  {
    name: "a binding gives away what its maker does not have",
    file: "pkg/apiserver/admission/role-escalation.ts",
    find: "  refuseEscalation(rbac, attributes, rules);",
    replace: "",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "whoever takes a role's aggregation away need not be an administrator",
    file: "pkg/apiserver/admission/role-escalation.ts",
    find: "&& !(before !== undefined && hasAggregation(asJson(before)))) return;",
    replace: ") return;",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "escalate of one name is enough for a create of that name",
    file: "pkg/apiserver/admission/role-escalation.ts",
    find: "plural, attributes.pathName)",
    replace: "plural, attributes.name)",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "a rule of some names covers one of all",
    file: "pkg/apiserver/auth/rule-cover.ts",
    find: "(name !== undefined && heldNames.includes(name))",
    replace: "name === undefined || heldNames.includes(name)",
    tests: ["pkg/apiserver/auth/rule-cover.test.ts"],
  },
];

const podSecurity: readonly Mutant[] = [
  {
    name: "a namespace that refuses does not warn of templates",
    file: "pkg/apiserver/admission/pod-security/policy.ts",
    find: "warn: { level: enforce.level, version } };",
    replace: "warn: { level: warn.level, version } };",
    tests: ["test/integration/api/pod-security.test.ts"],
  },
  {
    name: "another image makes no other pod",
    file: "pkg/apiserver/admission/pod-security/pod-security.ts",
    find: "now.some((image, index) => image !== then[index]);",
    replace: "now.some((image, index) => image === undefined && then[index] === undefined);",
    tests: ["test/integration/api/pod-security.test.ts"],
  },
  {
    name: "a restricted check comes on top of the baseline one that it replaces",
    file: "pkg/apiserver/admission/pod-security/evaluate.ts",
    find: "...baseline.filter(({ id }) => !replaced.has(id)), ",
    replace: "...baseline.filter(({ id }) => id !== [...replaced][0]), ",
    tests: ["pkg/apiserver/admission/pod-security/evaluate.test.ts"],
  },
  {
    name: "whoever is exempt is looked at",
    file: "pkg/apiserver/admission/pod-security/pod-security.ts",
    find: "    users.includes(user.username) ||",
    replace: "",
    tests: ["pkg/apiserver/admission/pod-security/pod-security.test.ts"],
  },
];

const bounds: readonly Mutant[] = [
  {
    name: "a pod's limits are its requests to its limit range",
    file: "pkg/apiserver/admission/limit-ranger.ts",
    find: "limits: podLimits(own) });",
    replace: "limits: podRequests(own) });",
    tests: ["test/integration/api/limit-ranges.test.ts"],
  },
  {
    name: "a claim that is changed may grow over its limit range",
    file: "pkg/apiserver/admission/limit-ranger.ts",
    find: 'operation === "CREATE" || operation === "UPDATE";',
    replace: 'operation === "CREATE";',
    tests: ["test/integration/api/limit-ranges.test.ts"],
  },
];

const scale: readonly Mutant[] = [
  {
    name: "whoever loses the scale keeps owning the replicas",
    file: "pkg/apiserver/apply/scale-managers.ts",
    find: "const fields = yield* difference(manager.fields, setOf(path));",
    replace: "const { fields } = manager;",
    tests: ["test/integration/api/scale.test.ts"],
  },
  {
    name: "an apply to the scale knows nobody else",
    file: "pkg/apiserver/server/scale.ts",
    find: "managersOfScale(managedFields, pathIn)",
    replace: "managersOfScale([], pathIn)",
    tests: ["test/integration/api/scale.test.ts"],
  },
];

const expiry: readonly Mutant[] = [
  {
    name: "an Event that is written to goes as if it were not",
    file: "pkg/apiserver/server/event-expiry.ts",
    find: "      this.#deadlines.delete(key);\n      if (type",
    replace: '      if (type !== "ADDED") return;\n      if (type',
    tests: ["pkg/apiserver/server/event-expiry.test.ts"],
  },
  {
    name: "Events live anew when the process does",
    file: "pkg/apiserver/server/event-expiry.ts",
    find: "Math.min(nowMs, lastWriteMs(event) ?? nowMs)",
    replace: "Math.max(nowMs, lastWriteMs(event) ?? nowMs)",
    tests: ["pkg/apiserver/server/event-expiry.test.ts"],
  },
];

const storage: readonly Mutant[] = [
  {
    name: "a log is gone before the snapshot has its name",
    file: "pkg/apiserver/storage/file-journal.ts",
    find: "    const file = this.#files.open(unfinished);",
    replace: "    this.#removeOlderThan(revision);\n    const file = this.#files.open(unfinished);",
    tests: ["test/integration/api/persistence.test.ts"],
  },
  {
    name: "a torn end stays where the next write goes",
    file: "pkg/apiserver/storage/file-journal.ts",
    find: "      this.#files.truncate(name, end);",
    replace: "",
    tests: ["test/integration/api/persistence.test.ts"],
  },
];

const services: readonly Mutant[] = [
  {
    name: "the port of a health check is anybody's",
    file: "pkg/apiserver/admission/node-ports.ts",
    find: "[...ports, spec?.healthCheckNodePort ?? 0]",
    replace: "ports",
    tests: ["test/integration/api/node-ports.test.ts"],
  },
  {
    name: "a node port may be any port",
    file: "pkg/apiserver/admission/node-ports.ts",
    find: "if (port < FIRST || port > LAST)",
    replace: "if (port < FIRST && port > LAST)",
    tests: ["test/integration/api/node-ports.test.ts"],
  },
];

const FINALIZERS = ["test/integration/api/finalizers.test.ts"];

const metadata: readonly Mutant[] = [
  {
    name: "an update may bring finalizers that exclude each other",
    file: "pkg/apiserver/kinds/metadata.ts",
    find: '  validateFinalizers(strings(metadata, "finalizers"), errors);\n  validateStandardFinalizers(resource,',
    replace: "  validateStandardFinalizers(resource,",
    tests: FINALIZERS,
  },
  {
    name: "an update may bring finalizers of nobody",
    file: "pkg/apiserver/kinds/metadata.ts",
    find: "  validateStandardFinalizers(resource, metadata, errors);",
    replace: "",
    tests: FINALIZERS,
  },
  {
    name: "finalizers of events are those of other kinds",
    file: "pkg/apiserver/kinds/metadata.ts",
    find: '  if (group === "" && kind === "Event") return true;',
    replace: "  if (kind === undefined) return true;",
    tests: FINALIZERS,
  },
  {
    name: "keys without values are the same topology",
    file: "pkg/apiserver/kinds/storage/storage-class.ts",
    find: "other.has(key) && ",
    replace: "",
    tests: ["test/integration/api/corpus/corpus.test.ts"],
  },
  {
    name: "webhooks do not hear which ports are forwarded",
    file: "pkg/apiserver/server/pod-connect.ts",
    find: "ports.length === 0 ? {} : { ports }",
    replace: "ports.length === 1 ? { ports } : {}",
    tests: ["test/integration/api/webhooks/admission-requests.test.ts"],
  },
];

const races: readonly Mutant[] = [
  {
    name: "addresses of a service are looked at whatever the version is",
    file: "pkg/apiserver/admission/service-allocation.ts",
    find: "      if (isOutdated(draft, attributes)) return;\n",
    replace: "",
    tests: ["test/integration/api/requests.test.ts"],
  },
  {
    name: "a dry run knows where the storage keeps things",
    file: "pkg/apiserver/server/update.ts",
    find: 'dryRun ? "" : "/registry"',
    replace: 'dryRun ? "/registry" : "/registry"',
    tests: ["test/integration/api/requests.test.ts"],
  },
  {
    name: "bindings of old look for the pod first",
    file: "pkg/apiserver/server/binding.ts",
    find: "  const node = bindingTarget(body);\n  requirePathSegment(info.name);",
    replace: "  requirePathSegment(info.name);\n  const node = bindingTarget(body);",
    tests: ["test/integration/api/bindings.test.ts"],
  },
  {
    name: "a version that is gone counts before what those who admit say",
    file: "pkg/apiserver/server/update.ts",
    find: "    const object = await prepareUpdate(call,",
    replace:
      "    requireVersion(call, draft, before, change.anyVersion === true);\n    const object = await prepareUpdate(call,",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "a no-op that lost a race gives what it saw",
    file: "pkg/apiserver/server/update.ts",
    find: "return store.get(served.bucket, key) === stored ? stored : undefined;",
    replace: "return stored;",
    tests: ["pkg/apiserver/server/api-server.test.ts"],
  },
  {
    name: "preconditions of a delete are checked once",
    file: "pkg/apiserver/server/delete.ts",
    find: "    checkPreconditions(call, options, stored);",
    replace: "    if (attempt === 1) checkPreconditions(call, options, stored);",
    tests: ["pkg/apiserver/server/api-server.test.ts"],
  },
];

const metrics: readonly Mutant[] = [
  {
    name: "what ends badly is not counted",
    file: "pkg/apiserver/server/api-server.ts",
    find: "    } finally {\n      end(response, seen.routed);\n    }",
    replace:
      "    } finally {\n      end(response?.status === 404 ? undefined : response, seen.routed);\n    }",
    tests: ["test/integration/api/metrics.test.ts"],
  },
  {
    name: "an account that was may ask for a token",
    file: "pkg/apiserver/auth/token-reviews.ts",
    find: "  requireSameUid(request, name, account);",
    replace: "",
    tests: ["test/integration/api/token-requests.test.ts"],
  },
];

export const embeddedAdmissionMutants: readonly Mutant[] = [
  ...roles,
  ...podSecurity,
  ...bounds,
  ...scale,
  ...expiry,
  ...storage,
  ...services,
  ...metadata,
  ...metrics,
  ...races,
];
