import type { Asked } from "./stage.ts";

/** A request that is as long as requests may be, or whose answer is; what has to be there before is `first`. */
export interface ExtremeRequest {
  readonly name: string;
  readonly first?: readonly Asked[];
  readonly asked: Asked;
}

/** Of most objects: they may be three times as long, but then most are refused. */
const BYTES = 1_000_000;

const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const WIDE = "/apis/load.example.com/v1/namespaces/default/wides";

const number = (at: number): string => String(at).padStart(6, "0");
const range = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const mapOf = (count: number, make: (at: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(range(count, (at) => [`k${number(at)}`, make(at)]));

export const wideDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "wides.load.example.com" },
  spec: {
    group: "load.example.com",
    scope: "Namespaced",
    names: { plural: "wides", singular: "wide", kind: "Wide", listKind: "WideList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: ".spec.color" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  color: { type: "string" },
                  set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  numbers: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
                  named: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, size: { type: "integer", default: 1 } },
                    },
                  },
                  map: {
                    type: "object",
                    additionalProperties: { type: "string", maxLength: 20, pattern: "^[a-z0-9]*$" },
                  },
                  list: { type: "array", items: { type: "integer", minimum: 0 } },
                  unique: { type: "array", items: { type: "string", enum: ["a", "b"] } },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  either: {
                    type: "array",
                    items: {
                      type: "object",
                      properties: { a: { type: "string" }, b: { type: "string" } },
                      oneOf: [{ required: ["a"] }, { required: ["b"] }],
                    },
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
} as const;

const wide = (spec: unknown): string =>
  JSON.stringify({ apiVersion: "load.example.com/v1", kind: "Wide", metadata: { name: "wide" }, spec });

const specs: Readonly<Record<string, () => unknown>> = {
  "a set of texts": () => ({ set: range(BYTES / 12, (at) => `s${number(at)}`) }),
  "a set of numbers": () => ({ numbers: range(BYTES / 8, (at) => at) }),
  "a list of named items": () => ({ named: range(BYTES / 18, (at) => ({ name: `n${number(at)}` })) }),
  "a map": () => ({ map: mapOf(BYTES / 14, (at) => `${at % 10}`) }),
  "a list of numbers": () => ({ list: range(BYTES / 3, (at) => at % 10) }),
  "a list of values of an enumeration": () => ({
    unique: range(BYTES / 4, (at) => (at % 2 === 0 ? "a" : "b")),
  }),
  "what the schema keeps": () => ({ free: { list: range(BYTES / 9, (at) => ({ a: at % 10 })) } }),
  "what the schema does not know": () => ({
    unknown: mapOf(BYTES / 14, (at) => at % 10),
    ...mapOf(BYTES / 28, () => 1),
  }),
  "one thing or another": () => ({
    either: range(BYTES / 9, (at) => (at % 2 === 0 ? { a: "" } : { b: "" })),
  }),
  "a long text": () => ({ color: "x".repeat(BYTES) }),
  "objects in objects": () => ({ free: range(BYTES / 6_000, () => nested(900)) }),
  "a deep object": () => ({ free: nested(950) }),
};

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let at = 0; at < depth; at++) value = { a: value };
  return value;
}

/** Each spec of a custom resource in all requests that there are; each begins with what it needs. */
export function* customRequests(only: readonly string[] = Object.keys(specs)): Generator<ExtremeRequest> {
  for (const [what, make] of Object.entries(specs)) if (only.includes(what)) yield* requestsOf(what, make());
}

function* requestsOf(what: string, spec: unknown): Generator<ExtremeRequest> {
  const one = `${WIDE}/wide`;
  const body = wide(spec);
  const gone: Asked = { method: "DELETE", path: one };
  const create: Asked = { method: "POST", path: WIDE, body };
  const get: Asked = { method: "GET", path: one };
  const patch = (type: string, text: string, manager = ""): Asked => ({
    method: "PATCH",
    path: `${one}?fieldManager=${manager}`,
    type,
    body: text,
  });
  const there = [gone, create];
  const applied = [gone, patch(APPLY, body, "a")];
  yield { name: `create: ${what}`, first: [gone], asked: create };
  yield { name: `get: ${what}`, first: there, asked: get };
  yield { name: `get as YAML: ${what}`, first: there, asked: { ...get, accept: "application/yaml" } };
  yield { name: `patch a little: ${what}`, first: there, asked: patch(MERGE, '{"spec":{"color":"red"}}') };
  yield { name: `patch: ${what}`, first: there, asked: patch(MERGE, body) };
  yield { name: `apply: ${what}`, first: [gone], asked: patch(APPLY, body, "a") };
  yield { name: `apply again: ${what}`, first: applied, asked: patch(APPLY, body, "a") };
  yield { name: `apply less: ${what}`, first: applied, asked: patch(APPLY, wide({ color: "red" }), "a") };
  yield { name: `apply as another: ${what}`, first: there, asked: patch(APPLY, wide(changed(spec)), "b") };
  yield { name: `delete: ${what}`, first: there, asked: gone };
}

/** All leaves are others. */
function changed(value: unknown): unknown {
  if (typeof value === "string") return `${value}x`.slice(-10);
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return value.map(changed);
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, changed(member)]));
}
