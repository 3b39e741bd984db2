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
    tests: ["pkg/cache/refusals.test.ts"],
  },
  {
    name: "a list of something else is a list",
    file: "pkg/client/rest-resource-client.ts",
    find: "return this.#answer.list(list);",
    replace: "return list as ListHead<T>;",
    tests: ["pkg/cache/refusals.test.ts"],
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
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "each event that cannot be read has everything listed",
    file: "pkg/cache/reflector.ts",
    find: "|| !this.#meetsUnreadable)",
    replace: "|| true)",
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "the first event that cannot be read is skipped",
    file: "pkg/cache/reflector.ts",
    find: "|| !this.#meetsUnreadable)",
    replace: ")",
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "an initial event that cannot be read is skipped",
    file: "pkg/cache/reflector.ts",
    find: 'if (this.#state.name !== "watching" || !this.#meetsUnreadable)',
    replace: "if (!this.#meetsUnreadable)",
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "what was skipped is never made up for",
    file: "pkg/cache/reflector.ts",
    find: "if (!this.#skipped) return state;",
    replace: "return state;",
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "what was skipped before a pause is never made up for",
    file: "pkg/cache/reflector.ts",
    find: '? { ...state, next: "empty" } : state;',
    replace: "? state : state;",
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "once an event was skipped, everything is listed after each watch",
    file: "pkg/cache/reflector.ts",
    find: "    this.#skipped = false;\n",
    replace: "",
    tests: ["pkg/cache/reflector.test.ts"],
  },
  {
    name: "who met one event that cannot be read skips the next one, however late",
    file: "pkg/cache/reflector.ts",
    find: "    this.#meetsUnreadable = this.#skipped;\n",
    replace: "",
    tests: ["pkg/cache/reflector.test.ts"],
  },
];

export const refusalsMutants: readonly Mutant[] = [...discovery, ...bodies, ...unreadable];
