import { expect, test } from "vitest";
import { controller } from "../../../pkg/controller/index.ts";
import { defineCrd } from "../../../pkg/crd/index.ts";
import { doubtsOf } from "./doubts.ts";
import type { OperatorModule } from "./load-module.ts";

const Site = defineCrd({
  group: "example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: { type: "object" },
});
const operator: OperatorModule = {
  crds: [Site],
  controllers: [controller("sites", Site).reconcile(async () => undefined)],
  webhooks: [],
  examples: [{ apiVersion: "example.com/v1", kind: "Site", metadata: { name: "a" } }],
};
const seen = [
  { group: "example.com", resource: "sites", verb: "watch" },
  { group: "apps", resource: "deployments", verb: "list" },
  { group: "", resource: "events", verb: "create" },
];
const unknown = { group: "other.example", resource: "things", verb: "list" };

test("nothing is in doubt where there are definitions and examples", () => {
  expect(doubtsOf(operator, seen)).toEqual([]);
});

test("what has no definition was not there, and its controller had nothing to do", () => {
  expect(doubtsOf(operator, [...seen, unknown, { ...unknown, verb: "watch" }])).toEqual([
    expect.stringContaining("things.other.example"),
  ]);
  expect(doubtsOf({ ...operator, crds: [] }, seen)).toEqual([expect.stringContaining("sites.example.com")]);
});

test("without an example there was nothing to do", () => {
  expect(doubtsOf({ ...operator, examples: [] }, seen)).toEqual([expect.stringContaining("no examples")]);
  expect(doubtsOf({ ...operator, examples: [], controllers: [] }, seen)).toEqual([]);
});
