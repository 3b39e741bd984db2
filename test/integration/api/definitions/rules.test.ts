import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servers, type TestResponse, type TestServer } from "../../../harness/servers.ts";
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
import { badRules, ruleCases } from "./rule-cases.ts";

const started: TestServer[] = [];

beforeAll(async () => {
  for (const kind of servers) started.push(await kind.start());
});

afterAll(async () => {
  await Promise.all(started.map(async (server) => server.stop()));
});

/** The names of types that have none differ from one definition to the next. */
const named = (causes: readonly string[]): readonly string[] =>
  causes.map((cause) => cause.replaceAll(/selfType\d*/g, "selfType"));

describe("rules that a definition may not have", () => {
  test.each(Object.entries(badRules))("%s", async (_, schema) => {
    const body = definition("g.example.com", withSchema({ type: "object", properties: { f: schema } }));
    const [ours, ...others] = await answersOf(started, "POST", `${definitions}?dryRun=All`, body);
    expect(ours.status, JSON.stringify(ours.body)).toBe(422);
    for (const other of others) expect(named(causesOf(ours, true))).toEqual(named(causesOf(other, true)));
  });
});

describe("rules of objects", () => {
  const group = "rules.example.com";
  const objects = `/apis/${group}/v1/namespaces/default/widgets`;
  const cases = Object.entries(ruleCases);
  const fieldOf = (position: number): string => `f${position}`;

  beforeAll(async () => {
    const properties = Object.fromEntries(cases.map(([, { schema }], at) => [fieldOf(at), schema]));
    // The rule of the whole object has no path.
    const root = {
      type: "object",
      properties,
      "x-kubernetes-validations": [{ rule: "self.metadata.name != 'bad'" }],
    };
    const created = await answersOf(started, "POST", definitions, definition(group, withSchema(root)));
    expect(created.map(({ status, body }) => [status, (body as Body).message])).toEqual(
      created.map(() => [201, undefined]),
    );
    for (const server of started)
      await until("it is served", async () => (await server.request("GET", objects)).status === 200);
  });

  function compare([ours, ...others]: readonly TestResponse[]): void {
    if (ours === undefined) throw new Error("the embedded server answers");
    for (const other of others) {
      expect(causesOf(ours, false)).toEqual(causesOf(other, false));
      expect(ours.status, JSON.stringify(other.body)).toBe(other.status);
      expect(warningsOf(ours)).toEqual(warningsOf(other));
    }
  }

  const widget = (name: string, fields: object): object => ({
    apiVersion: `${group}/v1`,
    kind: "Widget",
    metadata: { name },
    ...fields,
  });

  test.each(cases.map(([name, one], at) => [name, at, one] as const))("%s", async (_, at, one) => {
    const name = `w${at}`;
    compare(await answersOf(started, "POST", objects, widget(name, { [fieldOf(at)]: one.value })));
    for (const value of one.changes ?? [])
      compare(await answersOf(started, "PATCH", `${objects}/${name}`, { [fieldOf(at)]: value }));
  });

  test("of the whole object", async () => {
    compare(await answersOf(started, "POST", objects, widget("bad", {})));
  });

  test("what broke a new rule before may stay, with a warning", async () => {
    const other = "ratchet.example.com";
    const paths = `/apis/${other}/v1/namespaces/default/widgets`;
    const withRule = (...rules: readonly object[]): Readonly<Record<string, unknown>> =>
      definition(
        other,
        withSchema({
          type: "object",
          properties: {
            a: { type: "integer", "x-kubernetes-validations": rules },
            b: { type: "integer" },
          },
        }),
      );
    await answersOf(started, "POST", definitions, withRule());
    for (const server of started)
      await until("it is served", async () => (await server.request("GET", paths)).status === 200);
    const body = { apiVersion: `${other}/v1`, kind: "Widget", metadata: { name: "w" }, a: 1, b: 1 };
    await answersOf(started, "POST", paths, body);
    const stricter = { spec: withRule({ rule: "self > 1" })["spec"] };
    await answersOf(started, "PATCH", `${definitions}/widgets.${other}`, stricter);
    const second = { ...body, metadata: { name: "second" } };
    for (const server of started)
      await until(
        "the rule holds",
        async () => (await server.request("POST", `${paths}?dryRun=All`, second)).status === 422,
      );
    compare(await answersOf(started, "PATCH", `${paths}/w`, { b: 2 }));
    compare(await answersOf(started, "PATCH", `${paths}/w`, { a: 0 }));
    compare(await answersOf(started, "PATCH", `${paths}/w`, { a: 2 }));
  });
});
