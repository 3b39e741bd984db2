import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servers, type TestServer } from "../../../harness/servers.ts";
import { until } from "../../../harness/until.ts";
import {
  answersOf,
  type Body,
  causesOf,
  definition,
  definitions,
  warningsOf,
  withSchema,
} from "./definition-answers.ts";
import { badSchemas, goodSchemas } from "./schema-cases.ts";
import { badSpecs, changes, goodSpecs, type SpecCase } from "./spec-cases.ts";
import { valueCases } from "./value-cases.ts";

type Json = Readonly<Record<string, unknown>>;

const started: TestServer[] = [];

beforeAll(async () => {
  for (const kind of servers) started.push(await kind.start());
});

afterAll(async () => {
  await Promise.all(started.map(async (server) => server.stop()));
});

async function answers(path: string, body: unknown, method = "POST"): ReturnType<typeof answersOf> {
  return answersOf(started, method, path, body);
}

/** Defines it on all servers, and waits until each serves its objects. */
async function define(group: string, one: SpecCase): Promise<string> {
  const created = await answers(definitions, definition(group, one));
  expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
  const objects = `/apis/${group}/v1/namespaces/default/widgets`;
  for (const server of started)
    await until("it is served", async () => (await server.request("GET", objects)).status === 200);
  return objects;
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

describe("changes", () => {
  const plain = { served: true, schema: { openAPIV3Schema: { type: "object" } } };
  const versions = [
    { ...plain, name: "v1", storage: true },
    { ...plain, name: "v2", storage: false },
  ];

  beforeAll(async () => {
    await define("changes.example.com", { spec: { versions } });
  });

  test.each(Object.entries(changes))("%s", async (_, patch) => {
    const path = `${definitions}/widgets.changes.example.com?dryRun=All`;
    const [ours, ...others] = await answers(path, patch, "PATCH");
    expect([200, 422]).toContain(ours.status);
    for (const other of others) {
      expect(ours.status, JSON.stringify(other.body)).toBe(other.status);
      expect((ours.body as Body)["spec"]).toEqual((other.body as Body)["spec"]);
      expect(causesOf(ours, true)).toEqual(causesOf(other, true));
      expect(warningsOf(ours)).toEqual(warningsOf(other));
    }
  });

  test("objects stay that a stricter schema would not take, as far as they are not changed", async () => {
    const group = "stricter.example.com";
    const ofTexts = (limits: Json): SpecCase =>
      withSchema({
        type: "object",
        properties: {
          a: { type: "string", ...limits },
          b: { type: "string" },
          l: { type: "array", items: { type: "string", ...limits } },
        },
      });
    const objects = await define(group, ofTexts({}));
    const widget = {
      apiVersion: `${group}/v1`,
      kind: "Widget",
      metadata: { name: "w" },
      a: "x",
      l: ["x", "y"],
    };
    await answers(objects, widget);
    await answers(
      `${definitions}/widgets.${group}`,
      { spec: definition(group, ofTexts({ maxLength: 0 }))["spec"] },
      "PATCH",
    );
    for (const server of started)
      await until("the new schema holds", async () => {
        const other = { ...widget, metadata: { name: "other" } };
        return (await server.request("POST", `${objects}?dryRun=All`, other)).status === 422;
      });
    const tries = [{ b: "new" }, { a: "y" }, { a: "" }, { l: ["x", "y", ""] }, { l: ["x", "y"], b: "newer" }];
    for (const patch of tries) {
      const [ours, ...others] = await answers(`${objects}/w`, patch, "PATCH");
      for (const other of others) {
        expect([patch, ours.status]).toEqual([patch, other.status]);
        expect(causesOf(ours, false)).toEqual(causesOf(other, false));
      }
    }
    const [first] = await answers(`${objects}/w`, { b: "last" }, "PATCH");
    expect(first.status).toBe(200);
  });
});

describe("values", () => {
  const group = "values.example.com";
  const objects = `/apis/${group}/v1/namespaces/default/widgets`;
  const cases = Object.entries(valueCases);
  const fieldOf = (position: number): string => `f${position}`;

  beforeAll(async () => {
    const properties = Object.fromEntries(cases.map(([, { schema }], at) => [fieldOf(at), schema]));
    await define(group, withSchema({ type: "object", properties }));
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
