import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../pkg/clock/random.ts";
import { customRequests, wideDefinition } from "./extreme-requests.ts";
import { type FieldShape, fieldShapes } from "./field-shapes.ts";
import { measure } from "./measure.ts";
import { requestsOfShape } from "./requests-of-shape.ts";
import type { Unstored } from "../../pkg/apiserver/storage/store.ts";
import { LoadStage } from "./stage.ts";

/** Of the hundreds of fields that can be long; `node test/load/main.ts` tries all. */
const CHOSEN = 2;
const BYTES = 1_000_000;
/** On a machine that others use; those that once held the loop did so for seconds. `main.ts` tells what is above 50. */
const MOST_MS = 150;

let stage: LoadStage;

beforeAll(async () => {
  stage = await LoadStage.start();
  await stage.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  await stage.define(wideDefinition);
});
afterAll(async () => stage.stop());

const shapes = fieldShapes();

/** The same ones in each run, unless SEED says otherwise: what chance finds is for who looks for it. */
function chosen(): readonly FieldShape[] {
  const random = seededRandom(Number(process.env["SEED"] ?? 1));
  return Array.from({ length: CHOSEN }, () => shapes[Math.floor(random.next() * shapes.length)]).filter(
    (shape) => shape !== undefined,
  );
}

/** Those that once held the loop for seconds. */
const once = shapes.filter(({ name }) =>
  ["configmaps data", "nodes status.addresses", "nodes spec.taints", "csinodes spec.drivers"].includes(name),
);

test.each([...once, ...chosen()].map((shape) => ({ ...shape, shape })))(
  "$name of a megabyte leaves the loop its turns",
  async ({ shape }) => {
    const tooLong: string[] = [];
    for (const { name, asked } of requestsOfShape(shape, BYTES)) {
      const { longestMs, status } = await measure(stage, asked);
      if (longestMs > MOST_MS) tooLong.push(`${name} (${status}): ${longestMs.toFixed(0)} ms`);
    }
    expect(tooLong).toEqual([]);
  },
);

/** The others are tried by main.ts. */
const specs = ["a set of texts", "a list of named items"];
const verbs = new Set(["create", "apply again"]);

test("custom resources of a megabyte leave the loop its turns", { timeout: 300_000 }, async () => {
  const tooLong: string[] = [];
  for (const { name, first, asked } of customRequests(specs)) {
    if (!verbs.has(name.split(":", 1)[0] ?? "")) continue;
    const { longestMs, status } = await measure(stage, asked, first);
    if (longestMs > MOST_MS) tooLong.push(`${name} (${status}): ${longestMs.toFixed(0)} ms`);
  }
  expect(tooLong).toEqual([]);
});

test("a list of thousands as YAML leaves the loop its turns", async () => {
  const { store } = stage.cluster.server.parts;
  const data = { a: "1", b: "2", c: "3" };
  for (let at = 0; at < 5_000; at++) {
    const metadata = { namespace: "default", name: `listed-${at}`, uid: String(at) };
    const object: Unstored & { readonly data: object } = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data,
    };
    store.put("configmaps", `default/listed-${at}`, undefined, object);
  }
  const path = "/api/v1/namespaces/default/configmaps";
  const { isTooLong, longestMs } = await measure(stage, { method: "GET", path, accept: "application/yaml" });
  expect(isTooLong, `${longestMs.toFixed(0)} ms`).toBe(false);
});
