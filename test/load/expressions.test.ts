import { afterAll, beforeAll, expect, test } from "vitest";
import { measure } from "./measure.ts";
import { type Definition, LoadStage } from "./stage.ts";

/** Each goes on until it has cost as much as one expression may. */
const costly = {
  sums: "LIST.all(x, LIST.all(y, x + y != ''))",
  quantities: "LIST.all(x, LIST.all(y, quantity(x).compareTo(quantity(y)) < 2))",
  filters: "LIST.all(x, LIST.filter(y, x < y).size() >= 0)",
  patterns: "LIST.all(x, LIST.all(y, y.matches('^([0-9]+)+$')))",
} as const;
const texts = Array.from({ length: 700 }, (_, at) => String(at));

let stage: LoadStage;

beforeAll(async () => {
  stage = await LoadStage.start();
  await stage.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
});
afterAll(async () => stage.stop());

const text = { type: "string", maxLength: 5 };

function definitionWith(name: string, rule: string): Definition {
  const texts = { type: "array", maxItems: 700, items: text };
  const spec = { type: "object", properties: { texts }, "x-kubernetes-validations": [{ rule }] };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  const names = { plural: name, singular: name, kind: `Of${name}` };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}.load.example.com` },
    spec: { group: "load.example.com", scope: "Namespaced", names, versions: [version] as const },
  };
  return definition;
}

test.each(Object.entries(costly))(
  "a rule that costs all it may leaves the loop its turns: %s",
  async (name, rule) => {
    await stage.define(definitionWith(name, rule.replaceAll("LIST", "self.texts")));
    const path = `/apis/load.example.com/v1/namespaces/default/${name}`;
    const body = {
      apiVersion: "load.example.com/v1",
      kind: `Of${name}`,
      metadata: { name: "one" },
      spec: { texts },
    };
    const { status, longestMs, isTooLong } = await measure(stage, {
      method: "POST",
      path,
      body: JSON.stringify(body),
    });
    expect(status).toBe(422);
    expect(isTooLong, `${longestMs.toFixed(0)} ms`).toBe(false);
  },
);

const data = Object.fromEntries(texts.map((one) => [one, one]));
const create = { method: "POST", path: "/api/v1/namespaces/default/configmaps?dryRun=All" } as const;
const group = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
  ],
};
const expression = costly.quantities.replaceAll("LIST", "object.data");

/** What of a policy or webhook may be an expression. */
const places: Readonly<Record<string, { readonly path: string; readonly spec: object }>> = {
  validation: { path: `${group}/validatingadmissionpolicies`, spec: { validations: [{ expression }] } },
  variable: {
    path: `${group}/validatingadmissionpolicies`,
    spec: {
      variables: [{ name: "all", expression }],
      validations: [{ expression: "[1].all(x, variables.all)" }],
    },
  },
  condition: {
    path: `${group}/validatingadmissionpolicies`,
    spec: { matchConditions: [{ name: "all", expression }], validations: [{ expression: "true" }] },
  },
  message: {
    path: `${group}/validatingadmissionpolicies`,
    spec: { validations: [{ expression: "false", messageExpression: `${expression} ? 'a' : 'b'` }] },
  },
};

test.each(Object.entries(places))(
  "a policy that costs all it may leaves the loop its turns: %s",
  async (name, place) => {
    const { path, spec } = place;
    await stage.create(path, { metadata: { name }, spec: { matchConstraints, ...spec } });
    const binding = { policyName: name, validationActions: ["Deny"] };
    await stage.create(`${path.replace(/ies$/, "y")}bindings`, { metadata: { name }, spec: binding });
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    const { status, longestMs, isTooLong } = await measure(stage, { ...create, body });
    await stage.send({ method: "DELETE", path: `${path}/${name}` });
    expect(status).toBe(422);
    expect(isTooLong, `${longestMs.toFixed(0)} ms`).toBe(false);
  },
);

test("a webhook's condition that costs all it may leaves the loop its turns", async () => {
  const path = `${group}/validatingwebhookconfigurations`;
  const webhook = {
    name: "condition.load.example.com",
    clientConfig: { url: "https://127.0.0.1:1/never" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    rules: matchConstraints.resourceRules,
    matchConditions: [{ name: "all", expression }],
  };
  await stage.create(path, { metadata: { name: "condition" }, webhooks: [webhook] });
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "asked" }, data });
  const { status, longestMs, isTooLong } = await measure(stage, { ...create, body });
  await stage.send({ method: "DELETE", path: `${path}/condition` });
  expect(status).toBe(403);
  expect(isTooLong, `${longestMs.toFixed(0)} ms`).toBe(false);
});
