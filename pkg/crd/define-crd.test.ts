import { expect, test } from "vitest";
import type { CrdSpec } from "./crd.ts";
import { CrdError, type CrdProblem } from "./crd-error.ts";
import { defineCrd } from "./define-crd.ts";
import type { JsonSchema } from "./json-schema.ts";

const names = { group: "example.com", version: "v1", kind: "Website", scope: "Namespaced" } as const;
const website = {
  ...names,
  shortNames: ["site"],
  categories: ["all"],
  description: "A website",
  spec: {
    type: "object",
    required: ["host"],
    properties: {
      host: { type: "string", minLength: 1, maxLength: 253 },
      replicas: { type: "integer", minimum: 0, maximum: 10, default: 2 },
    },
  },
  status: { type: "object", properties: { ready: { type: "integer" } } },
  rules: [{ rule: "self.spec.host != 'localhost'", message: "nobody finds localhost" }],
  printerColumns: [{ name: "Host", type: "string", jsonPath: ".spec.host" }],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.ready" },
  selectableFields: [".spec.host"],
} as const satisfies CrdSpec;

const misspelt: JsonSchema & { readonly maxLenght: number } = { type: "string", maxLenght: 3 };

function problemsOf(define: () => unknown): readonly CrdProblem[] {
  try {
    define();
  } catch (error) {
    if (error instanceof CrdError) return error.problems;
    throw error;
  }
  return [];
}

const withSpec = (spec: JsonSchema): readonly CrdProblem[] => problemsOf(() => defineCrd({ ...names, spec }));

test("the manifest says all that the author said", () => {
  expect(defineCrd(website).manifest()).toEqual({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "websites.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: {
        plural: "websites",
        singular: "website",
        kind: "Website",
        listKind: "WebsiteList",
        shortNames: ["site"],
        categories: ["all"],
      },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              description: "A website",
              type: "object",
              required: ["spec"],
              properties: { spec: website.spec, status: website.status },
              "x-kubernetes-validations": website.rules,
            },
          },
          subresources: { status: {}, scale: website.scale },
          additionalPrinterColumns: website.printerColumns,
          selectableFields: [{ jsonPath: ".spec.host" }],
        },
      ],
    },
  });
});

test("it is a resource, by name", () => {
  const { group, version, plural, kind, namespaced } = defineCrd(website);
  expect({ group, version, plural, kind, namespaced }).toEqual({
    group: "example.com",
    version: "v1",
    plural: "websites",
    kind: "Website",
    namespaced: true,
  });
});

test.each([
  ["Website", "websites"],
  ["Proxy", "proxies"],
  ["Key", "keys"],
  ["Index", "indexes"],
  ["Batch", "batches"],
  ["Class", "classes"],
])("%s in the plural is %s", (kind, plural) => {
  expect(defineCrd({ ...names, kind, spec: { type: "object" } }).plural).toBe(plural);
});

test("a spec that needs nothing may be left out, and is empty then", () => {
  const crd = defineCrd({
    ...names,
    spec: { type: "object", properties: { size: { type: "integer", default: 3 } }, required: ["size"] },
  });
  const schema = crd.manifest().spec.versions[0]?.schema?.openAPIV3Schema;
  expect([schema?.required, schema?.properties?.["spec"]?.default]).toEqual([undefined, { size: 3 }]);
});

test("an object is of its kind, and has the defaults", () => {
  const object = defineCrd(website).object({ metadata: { name: "a", namespace: "b" }, spec: { host: "x" } });
  expect(object).toEqual({
    apiVersion: "example.com/v1",
    kind: "Website",
    metadata: { name: "a", namespace: "b" },
    spec: { host: "x", replicas: 2 },
  });
});

test("a version can be deprecated, and need not be served", () => {
  const [version] = defineCrd({ ...website, deprecated: "use v2", served: false }).manifest().spec.versions;
  expect(version).toMatchObject({ deprecated: true, deprecationWarning: "use v2", served: false });
  const [plain] = defineCrd({ ...website, deprecated: false }).manifest().spec.versions;
  expect(plain).not.toHaveProperty("deprecated");
});

test.each<readonly [what: string, spec: JsonSchema, place: string, message: string]>([
  ["no type", { type: "object", properties: { a: { description: "x" } } }, "spec.a.type", "Required value"],
  [
    "an unknown keyword",
    { type: "object", properties: { a: misspelt } },
    "spec.a",
    "maxLenght has no counterpart",
  ],
  [
    "a default of another type",
    { type: "object", properties: { a: { type: "integer", default: "x" } } },
    "spec.a.default",
    "must be of type integer",
  ],
  [
    "a rule that does not compile",
    {
      type: "object",
      properties: {
        a: {
          type: "object",
          properties: { b: { type: "integer" } },
          "x-kubernetes-validations": [{ rule: "self.c > 1" }],
        },
      },
    },
    "spec.a.x-kubernetes-validations[0].rule",
    "undefined field 'c'",
  ],
  [
    "a rule that may cost too much",
    {
      type: "object",
      properties: {
        a: {
          type: "array",
          items: { type: "array", items: { type: "string" } },
          "x-kubernetes-validations": [{ rule: "self.all(x, self.all(y, x.all(z, y.all(w, z != w))))" }],
        },
      },
    },
    "spec.a.x-kubernetes-validations[0].rule",
    "estimated rule cost exceeds budget",
  ],
  [
    "fields beside a map's values",
    {
      type: "object",
      properties: { a: { type: "object", properties: {}, additionalProperties: { type: "string" } } },
    },
    "spec.a{}",
    "mutual exclusive",
  ],
])("%s is refused where it is", (_, spec, place, message) => {
  const problems = withSpec(spec);
  expect(problems.map((problem) => problem.place)).toContain(place);
  expect(problems.find((problem) => problem.place === place)?.message).toContain(message);
});

test.each<readonly [what: string, change: object, place: string, message: string]>([
  ["a group without a dot", { group: "example" }, "group", "at least one dot"],
  ["a version that is no name", { version: "V1" }, "version", "a DNS-1035 label"],
  ["an unknown scope", { scope: "Everywhere" }, "scope", 'supported values: "Cluster", "Namespaced"'],
  [
    "a column without a path",
    { printerColumns: [{ name: "A", type: "string", jsonPath: "" }] },
    "printerColumns[0].jsonPath",
    "Required",
  ],
  [
    "a path of replicas that leads nowhere",
    { scale: { specReplicasPath: "x", statusReplicasPath: ".status.x" } },
    "scale.specReplicasPath",
    "must be a simple json path",
  ],
  ["a field that is misspelt", { printerColum: [] }, "printerColum", "no such field"],
])("%s is refused where it is", (_, change, place, message) => {
  const problems = problemsOf(() => defineCrd({ ...website, ...change }));
  expect(problems.map((problem) => `${problem.place}: ${problem.message}`).join("\n")).toMatch(
    new RegExp(`${place.replaceAll(/[[\].]/g, String.raw`\$&`)}: .*${message}`),
  );
});

test("all that is wrong is told at once, in one error that names the definition", () => {
  const define = (): unknown =>
    defineCrd({ ...names, group: "example", plural: "Websites", spec: { type: "object" } });
  expect(define).toThrow(/^Website\.example\/v1:\n {2}group: Invalid value.*\n {2}plural: Invalid value/);
});

const v2 = { type: "object", properties: { hosts: { type: "array", items: { type: "string" } } } } as const;
const Old = defineCrd(website);
const versions = defineCrd({ ...names, version: "v2", spec: v2 }).convert(
  Old,
  (old) => ({ spec: { hosts: [old.spec.host] } }),
  (object) => ({ spec: { host: object.spec.hosts?.[0] ?? "", replicas: 2 } }),
);

test("several versions: the newest is kept, and a webhook converts", () => {
  const { spec } = versions.manifest({ conversionWebhook: { url: "https://x/convert" } });
  expect(spec.versions.map(({ name, storage, served }) => [name, storage, served])).toEqual([
    ["v2", true, true],
    ["v1", false, true],
  ]);
  expect(spec.conversion).toEqual({
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://x/convert" } },
  });
  expect(() => versions.manifest()).toThrow("conversionWebhook: say where versions are converted");
});

test("what cannot be a version of the resource is refused", () => {
  const Other = defineCrd({ ...website, kind: "Page", scope: "Cluster" });
  const wrong = (): unknown =>
    versions.convert(
      Other,
      () => ({ spec: {} }),
      () => ({ spec: { host: "", replicas: 1 } }),
    );
  expect(wrong).toThrow(/is another resource: pages\.example\.com.*\n.*another kind.*\n.*another scope/);
  const twice = (): unknown =>
    versions.convert(
      Old,
      () => ({ spec: {} }),
      () => ({ spec: { host: "", replicas: 1 } }),
    );
  expect(twice).toThrow("must contain unique version names");
});

test("what is wrong with another version is told with its name", () => {
  const Broken = {
    ...Old,
    spec: { ...website, printerColumns: [{ name: "A", type: "string", jsonPath: "" }] },
  } as const;
  const wrong = (): unknown =>
    defineCrd({ ...names, version: "v2", spec: v2 }).convert(
      Broken,
      () => ({ spec: {} }),
      () => ({ spec: { host: "", replicas: 1 } }),
    );
  expect(wrong).toThrow("v1: printerColumns[0].jsonPath");
});
