import type { Mutant } from "./mutant.ts";

const discovery: readonly Mutant[] = [
  {
    name: "a refused root of discovery offers nothing",
    file: "pkg/client/discovery.ts",
    find: "accept: ACCEPT_AGGREGATED });",
    replace:
      'accept: ACCEPT_AGGREGATED }).catch(() => ({ kind: "APIGroupDiscoveryList", items: [] }) as unknown);',
    tests: ["pkg/client/discovery.test.ts", "controllers/namespace/sync-content.test.ts"],
  },
  {
    name: "any document is a discovery document",
    file: "pkg/client/discovery-documents.ts",
    find: "if (found !== kind)",
    replace: "if (found === 1)",
    tests: ["pkg/client/discovery.test.ts"],
  },
  {
    name: "what a stale group does not tell of is absent",
    file: "pkg/client/discovery-documents.ts",
    find: '? "unknown" : "absent"',
    replace: '? "absent" : "absent"',
    tests: ["pkg/client/discovery.test.ts"],
  },
];

const bodies: readonly Mutant[] = [
  {
    name: "a refusal with code 200 is an answer",
    file: "pkg/client/answer-kind.ts",
    find: 'if (isStatus(body) && body.status !== "Success")',
    replace: 'if (isStatus(body) && body.status === "None")',
    tests: ["pkg/client/rest-resource-client.test.ts"],
  },
  {
    name: "a refusal is an empty list",
    file: "pkg/client/rest-resource-client.ts",
    find: "return this.#answer.list(list);",
    replace: "return list as ListHead<T>;",
    also: {
      file: "pkg/client/answer-kind.ts",
      find: 'if (isStatus(body) && body.status !== "Success")',
      replace: 'if (isStatus(body) && body.status === "None")',
    },
    tests: ["pkg/cache/feed/refusals.test.ts"],
  },
  {
    name: "a list of something else is a list",
    file: "pkg/client/rest-resource-client.ts",
    find: "return this.#answer.list(list);",
    replace: "return list as ListHead<T>;",
    tests: ["pkg/cache/feed/refusals.test.ts"],
  },
  {
    name: "an object of another kind is an object",
    file: "pkg/client/answer-kind.ts",
    find: "if (!this.isObject(body))",
    replace: "if (!hasMetadata(body))",
    tests: ["pkg/client/rest-resource-client.test.ts"],
  },
  {
    name: "items of a list are not looked at",
    file: "pkg/client/answer-kind.ts",
    find: "if (!isUntyped && !this.isObject(body))",
    replace: "if (!isUntyped && !body)",
    tests: ["pkg/client/rest-resource-client.test.ts"],
  },
  {
    name: "objects of events are not looked at",
    file: "pkg/client/watch-events.ts",
    find: "if (isChange && answer.isObject(object))",
    replace: "if (isChange && object)",
    tests: ["pkg/client/rest-resource-client.test.ts"],
  },
  {
    name: "a broken line takes the lines before it along",
    file: "pkg/client/http/json-lines.ts",
    find: "documents.push(documentOrError(line));",
    replace: "documents.push(parseDocument(line));",
    tests: ["pkg/client/rest-resource-client.test.ts"],
  },
  {
    name: "a broken frame takes the frames before it along",
    file: "pkg/client/http/protobuf-frames.ts",
    find: 'return new TransportError("malformed"',
    replace: 'throw new TransportError("malformed"',
    tests: ["pkg/client/http/protobuf-frames.test.ts"],
  },
];

const unreadable: readonly Mutant[] = [
  {
    name: "an event that cannot be read is a connection that breaks",
    file: "pkg/client/errors.ts",
    find: '&& error.failure !== "malformed";',
    replace: ";",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "each event that cannot be read has everything listed",
    file: "pkg/cache/feed/reflector.ts",
    find: "|| !this.#meetsUnreadable)",
    replace: "|| true)",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "the first event that cannot be read is skipped",
    file: "pkg/cache/feed/reflector.ts",
    find: "|| !this.#meetsUnreadable)",
    replace: ")",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "an initial event that cannot be read is skipped",
    file: "pkg/cache/feed/reflector.ts",
    find: 'if (this.#state.name !== "watching" || !this.#meetsUnreadable)',
    replace: "if (!this.#meetsUnreadable)",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "what was skipped is never made up for",
    file: "pkg/cache/feed/reflector.ts",
    find: "if (!this.#skipped) return state;",
    replace: "return state;",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "what was skipped before a pause is never made up for",
    file: "pkg/cache/feed/reflector.ts",
    find: '? { ...state, next: "empty" } : state;',
    replace: "? state : state;",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "once an event was skipped, everything is listed after each watch",
    file: "pkg/cache/feed/reflector.ts",
    find: "    this.#skipped = false;\n",
    replace: "",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
  {
    name: "who met one event that cannot be read skips the next one, however late",
    file: "pkg/cache/feed/reflector.ts",
    find: "    this.#meetsUnreadable = this.#skipped;\n",
    replace: "",
    tests: ["pkg/cache/feed/reflector.test.ts"],
  },
];

const outages: readonly Mutant[] = [
  {
    name: "only a connection that is refused shows that the server is away",
    file: "pkg/client/errors.ts",
    find: 'error.failure !== "closed" && !error.sent;',
    replace: 'error.failure === "refused";',
    tests: ["pkg/client/errors.test.ts", "pkg/controller/worker.test.ts"],
  },
  {
    name: "a client that is closed takes the server for away",
    file: "pkg/client/errors.ts",
    find: '&& error.failure !== "closed"',
    replace: "",
    tests: ["pkg/client/errors.test.ts"],
  },
  {
    name: "an error of the transport forgets whether anything was sent",
    file: "pkg/client/errors.ts",
    find: "    sent: failure.sent,\n",
    replace: "",
    tests: ["pkg/client/errors.test.ts"],
  },
  {
    name: "a token that cannot be renewed is not used any more",
    file: "pkg/client/service-account-identity.ts",
    find: "if (clock.monotonicMs() >= this.#expiresMs)",
    replace: "if (clock.monotonicMs() >= 0)",
    tests: ["pkg/client/service-account-identity.test.ts"],
  },
  {
    name: "a token is used after its life",
    file: "pkg/client/service-account-identity.ts",
    find: "if (clock.monotonicMs() >= this.#expiresMs)",
    replace: 'if (this.#token === "")',
    tests: ["pkg/client/service-account-identity.test.ts"],
  },
  {
    name: "each request asks for a token that cannot be had",
    file: "pkg/client/service-account-identity.ts",
    find: "Math.min(clock.monotonicMs() + RETRY_MS, this.#expiresMs)",
    replace: "Math.min(clock.monotonicMs(), this.#expiresMs)",
    tests: ["pkg/client/service-account-identity.test.ts"],
  },
  {
    name: "a token is not asked for again before its end",
    file: "pkg/client/service-account-identity.ts",
    find: "Math.min(clock.monotonicMs() + RETRY_MS, this.#expiresMs)",
    replace: "this.#expiresMs",
    tests: ["pkg/client/service-account-identity.test.ts"],
  },
  {
    name: "a token that was rejected is used up",
    file: "pkg/client/service-account-identity.ts",
    find: "this.#refreshDueMs = this.#expiresMs = -Infinity;",
    replace: "this.#refreshDueMs = -Infinity;",
    tests: ["pkg/client/service-account-identity.test.ts"],
  },
];

const causes: readonly Mutant[] = [
  {
    name: "what an exec plugin says of its failure is lost",
    file: "pkg/client/config/exec-plugin.ts",
    find: "describe(command, error, installHint) + words",
    replace: "describe(command, error, installHint)",
    tests: ["pkg/client/config/reloading-identity.test.ts"],
  },
  {
    name: "what an exec plugin says of its success is lost",
    file: "pkg/client/config/exec-plugin.ts",
    find: 'if (words !== "") this.#log',
    replace: 'if (words === "") this.#log',
    tests: ["pkg/client/config/reloading-identity.test.ts"],
  },
  {
    name: "what an exec plugin gives out is told",
    file: "pkg/client/config/exec-plugin.ts",
    find: "lastWords(stderr)",
    replace: "lastWords(stdout)",
    tests: ["pkg/client/config/reloading-identity.test.ts"],
  },
  {
    name: 'events in namespace "" are sent there',
    file: "pkg/events/event-object.ts",
    find: 'involvedObject.namespace || "default"',
    replace: 'involvedObject.namespace ?? "default"',
    tests: ["pkg/events/broadcaster.test.ts"],
  },
  {
    name: "an event that is not sent is tried again and again",
    file: "pkg/events/broadcaster.ts",
    find: "if (isConnectionError(error) || this.#ending.signal.aborted)",
    replace: "if (true)",
    tests: ["pkg/events/broadcaster.test.ts"],
  },
  {
    name: "an event without an answer is given up",
    file: "pkg/events/broadcaster.ts",
    find: "if (isConnectionError(error) || this.#ending.signal.aborted)",
    replace: "if (this.#ending.signal.aborted)",
    tests: ["pkg/events/broadcaster.test.ts"],
  },
  {
    name: "a message that names the cause is enough of a cause",
    file: "hack/lost-causes.ts",
    find: "return index > 0 && mentions(expression, caught);",
    replace: "return mentions(expression, caught);",
    tests: ["hack/lost-causes.test.ts"],
  },
  {
    name: "any option is a cause",
    file: "hack/lost-causes.ts",
    find: 'return nameOf(property["key"]) === "cause" ?',
    replace: "return true ?",
    tests: ["hack/lost-causes.test.ts"],
  },
];

export const refusalsMutants: readonly Mutant[] = [
  ...discovery,
  ...bodies,
  ...unreadable,
  ...outages,
  ...causes,
];
