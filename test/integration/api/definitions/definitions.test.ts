import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servers, type TestResponse, type TestServer } from "../../../harness/servers.ts";
import { until } from "../../../harness/until.ts";
import { badSchemas, goodSchemas } from "./schema-cases.ts";
import { badSpecs, goodSpecs, type SpecCase } from "./spec-cases.ts";
import { valueCases } from "./value-cases.ts";

type Json = Readonly<Record<string, unknown>>;

interface Body extends Json {
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly Readonly<Record<"reason" | "field" | "message", string>>[];
  };
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const started: TestServer[] = [];

beforeAll(async () => {
  for (const kind of servers) started.push(await kind.start());
});

afterAll(async () => {
  await Promise.all(started.map(async (server) => server.stop()));
});

/** The answers of all servers, that of the embedded one first. */
async function answers(path: string, body: unknown): Promise<[TestResponse, ...TestResponse[]]> {
  const [embedded, ...others] = started;
  if (embedded === undefined) throw new Error("no server was started");
  const post = async (server: TestServer): Promise<TestResponse> => server.request("POST", path, body);
  return [await post(embedded), ...(await Promise.all(others.map(post)))];
}

/** Causes come in no particular order, and once each. Values of Go's internal types are printed in its own way. */
function causesOf({ body }: TestResponse, anonymous: boolean): readonly string[] {
  const causes = (body as Body).details?.causes ?? [];
  const value = /^([A-Z][a-z ]+): (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[[^\]]*\]|null|-?[\d.]+|true|false)(?=: |$)/s;
  const lines = causes.map(
    ({ reason, field, message }) =>
      `${reason} ${field}: ${anonymous ? message.replace(value, "$1") : message}`,
  );
  return [...new Set(lines)].toSorted();
}

/** Upstream goes through maps in no particular order. */
function warningsOf({ headers }: TestResponse): readonly string[] {
  return String(headers["warning"] ?? "")
    .split(/, (?=299 )/)
    .toSorted();
}

function definition(group: string, { spec, version, metadata }: SpecCase): Json {
  const only = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
  return {
    metadata: { name: `widgets.${group}`, ...metadata },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ ...only, ...version }],
      ...spec,
    },
  };
}

function withSchema(openAPIV3Schema: Json): SpecCase {
  return { version: { schema: { openAPIV3Schema } } };
}

const withSchemas = (schemas: Readonly<Record<string, Json>>): readonly (readonly [string, SpecCase])[] =>
  Object.entries(schemas).map(([name, schema]) => [name, withSchema(schema)]);

describe("definitions", () => {
  test.each([...withSchemas(goodSchemas), ...Object.entries(goodSpecs)])("taken: %s", async (_, one) => {
    const [ours, ...others] = await answers(`${definitions}?dryRun=All`, definition("g.example.com", one));
    expect(ours.status, JSON.stringify(ours.body)).toBe(201);
    for (const other of others) {
      expect((ours.body as Body)["spec"]).toEqual((other.body as Body)["spec"]);
      expect(warningsOf(ours)).toEqual(warningsOf(other));
    }
  });

  test.each([...withSchemas(badSchemas), ...Object.entries(badSpecs)])("refused: %s", async (_, one) => {
    const [ours, ...others] = await answers(`${definitions}?dryRun=All`, definition("g.example.com", one));
    expect(ours.status, JSON.stringify(ours.body)).toBe(422);
    for (const other of others) expect(causesOf(ours, true)).toEqual(causesOf(other, true));
  });
});

describe("values", () => {
  const group = "values.example.com";
  const objects = `/apis/${group}/v1/namespaces/default/widgets`;
  const cases = Object.entries(valueCases);
  const fieldOf = (position: number): string => `f${position}`;

  beforeAll(async () => {
    const properties = Object.fromEntries(cases.map(([, { schema }], at) => [fieldOf(at), schema]));
    const created = await answers(definitions, definition(group, withSchema({ type: "object", properties })));
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
    for (const server of started)
      await until("it is served", async () => (await server.request("GET", objects)).status === 200);
  });

  test.each(cases.map(([name, { value }], at) => [name, at, value] as const))("%s", async (_, at, value) => {
    const body = {
      apiVersion: `${group}/v1`,
      kind: "Widget",
      metadata: { name: `w${at}` },
      [fieldOf(at)]: value,
    };
    const [ours, ...others] = await answers(objects, body);
    expect([201, 400, 422]).toContain(ours.status);
    for (const other of others) {
      expect(ours.status, JSON.stringify(other.body)).toBe(other.status);
      expect((ours.body as Body)[fieldOf(at)]).toEqual((other.body as Body)[fieldOf(at)]);
      expect(causesOf(ours, false)).toEqual(causesOf(other, false));
      expect(warningsOf(ours)).toEqual(warningsOf(other));
    }
  });
});
