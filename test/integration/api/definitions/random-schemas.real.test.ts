import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servers, type TestServer } from "../../../harness/servers.ts";
import { answersOf, type Body, causesOf, definition, definitions, withSchema } from "./definition-answers.ts";
import { rootSchemas } from "./random-schemas.ts";

const started: TestServer[] = [];

beforeAll(async () => {
  for (const kind of servers) started.push(await kind.start());
});

afterAll(async () => {
  await Promise.all(started.map(async (server) => server.stop()));
});

test("whatever is in a schema, both servers say the same of it", async () => {
  await fc.assert(
    fc.asyncProperty(rootSchemas, async (schema) => {
      const body = definition("random.example.com", withSchema(schema));
      const [ours, ...others] = await answersOf(started, "POST", `${definitions}?dryRun=All`, body);
      for (const other of others) {
        expect(ours.status).toBe(other.status);
        expect(causesOf(ours, true)).toEqual(causesOf(other, true));
        expect((ours.body as Body)["spec"]).toEqual((other.body as Body)["spec"]);
      }
    }),
    { numRuns: 300 },
  );
});
