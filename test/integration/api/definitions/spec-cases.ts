type Json = Readonly<Record<string, unknown>>;

export interface SpecCase {
  /** Replaces parts of a good definition's spec. */
  readonly spec?: Json;
  /** Replaces parts of its only version. */
  readonly version?: Json;
  readonly metadata?: Json;
}

const schema = (root: Json): Json => ({ schema: { openAPIV3Schema: root } });
const statusSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        n: { type: "number" },
        list: { type: "array", items: { type: "string" } },
      },
    },
    map: { type: "object", additionalProperties: { type: "string" } },
    metadata: { type: "object", properties: { name: { type: "string" } } },
  },
};
const selectable = (...paths: readonly string[]): Json => ({
  ...schema(statusSchema),
  selectableFields: paths.map((jsonPath) => ({ jsonPath })),
});
const scale = (paths: Json): Json => ({ subresources: { scale: paths } });
const column = (more: Json): Json => ({
  additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a", ...more }],
});
const webhook = (clientConfig: Json | undefined, versions: readonly string[] = ["v1"]): Json => ({
  conversion: {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: versions, ...(clientConfig && { clientConfig }) },
  },
});
const service = { namespace: "a", name: "b" };
const version = (name: string, more: Json = {}): Json => ({
  name,
  served: true,
  storage: false,
  ...schema({ type: "object" }),
  ...more,
});

export const goodSpecs: Readonly<Record<string, SpecCase>> = {
  plain: {},
  cluster: { spec: { scope: "Cluster" } },
  "two versions": { spec: { versions: [version("v1", { storage: true }), version("v1beta1")] } },
  "two versions that differ": {
    spec: {
      versions: [
        version("v1", { storage: true, subresources: { status: {} } }),
        version("v2", { ...schema({ type: "object", description: "b" }), ...column({}) }),
      ],
    },
  },
  deprecated: { version: { deprecated: true, deprecationWarning: "do not" } },
  "scale with a selector": {
    version: scale({
      specReplicasPath: ".spec.r",
      statusReplicasPath: ".status.r",
      labelSelectorPath: ".status.s",
    }),
  },
  "empty selector path": {
    version: scale({ specReplicasPath: ".spec.r", statusReplicasPath: ".status.r", labelSelectorPath: "" }),
  },
  columns: { version: column({ format: "date-time", priority: 1, description: "a" }) },
  "selectable fields": { version: selectable(".spec.a", ".map.x") },
  "webhook by service": { spec: webhook({ service }) },
  "webhook by service with a path": {
    spec: webhook({ service: { ...service, path: "/a/b/", port: 8443 }, caBundle: "YQ==" }),
  },
  "webhook by URL": { spec: webhook({ url: "https://a.example/b" }) },
  "status of its own": {
    version: {
      subresources: { status: {} },
      ...schema({ type: "object", required: ["spec"], properties: {} }),
    },
  },
};

const nine = Array.from({ length: 9 }, (_, at) => `f${at}`);

export const badSpecs: Readonly<Record<string, SpecCase>> = {
  "no versions": { spec: { versions: [] } },
  "no schema": { version: { schema: undefined } },
  "no schema in one": {
    spec: { versions: [version("v1", { storage: true }), version("v2", { schema: {} })] },
  },
  "schemas wrong in both": {
    spec: {
      versions: [
        version("v1", { storage: true, ...schema({ type: "object", properties: { a: {} } }) }),
        version("v2", { ...schema({ type: "object", properties: { b: {} } }) }),
      ],
    },
  },
  "schemas wrong alike": {
    spec: {
      versions: [
        version("v1", { storage: true, ...schema({ type: "object", properties: { a: {} } }) }),
        version("v2", { ...schema({ type: "object", properties: { a: {} } }) }),
      ],
    },
  },
  "nothing stored": { version: { storage: false } },
  "two stored": { spec: { versions: [version("v1", { storage: true }), version("v2", { storage: true })] } },
  "one version twice": { spec: { versions: [version("v1", { storage: true }), version("v1")] } },
  "bad name of a version": { version: { name: "V1" } },
  "bad name of another version": { spec: { versions: [version("v1", { storage: true }), version("1")] } },
  "no scope": { spec: { scope: "" } },
  "unknown scope": { spec: { scope: "Galaxy" } },
  "unknown fields are kept": { spec: { preserveUnknownFields: true } },
  "bad names": {
    spec: {
      names: {
        plural: "widgets",
        singular: "A",
        kind: "a_b",
        listKind: "1",
        shortNames: ["B", "c"],
        categories: ["D", ""],
      },
    },
  },
  "list and kind alike": { spec: { names: { plural: "widgets", kind: "Widget", listKind: "Widget" } } },
  "no kind": { spec: { names: { plural: "widgets", kind: "" } } },
  "warning of what is not deprecated": { version: { deprecationWarning: "a" } },
  "empty warning": { version: { deprecated: true, deprecationWarning: "" } },
  "long warning": { version: { deprecated: true, deprecationWarning: "a".repeat(257) } },
  "warning with a line break": { version: { deprecated: true, deprecationWarning: "é\n" } },
  "scale without paths": { version: scale({ specReplicasPath: "", statusReplicasPath: "" }) },
  "scale elsewhere": {
    version: scale({
      specReplicasPath: ".status.r",
      statusReplicasPath: ".spec.r",
      labelSelectorPath: ".x.s",
    }),
  },
  "scale without dots": {
    version: scale({ specReplicasPath: "spec.r", statusReplicasPath: "status", labelSelectorPath: "spec.s" }),
  },
  "column without anything": {
    version: { additionalPrinterColumns: [{ name: "", type: "", jsonPath: "" }] },
  },
  "column of an unknown type": { version: column({ type: "text", format: "nope", jsonPath: "spec" }) },
  "columns wrong in one": {
    spec: { versions: [version("v1", { storage: true }), version("v2", column({ type: "nope" }))] },
  },
  "selectable metadata": { version: selectable(".metadata.name") },
  "selectable nothing": {
    version: selectable("", "spec.a", ".spec.x", ".spec['a']", ".spec.", ".spec.n", ".spec.list"),
  },
  "selectable twice": { version: selectable(".spec.a", ".spec.a") },
  "too many selectable": {
    version: {
      ...schema({
        type: "object",
        properties: Object.fromEntries(nine.map((name) => [name, { type: "string" }])),
      }),
      selectableFields: nine.map((name) => ({ jsonPath: `.${name}` })),
    },
  },
  "selectable in one version": {
    spec: {
      versions: [version("v1", { storage: true }), version("v2", { selectableFields: [{ jsonPath: ".a" }] })],
    },
  },
  "status of its own, and a map": {
    version: { subresources: { status: {} }, ...schema({ type: "object", minProperties: 1 }) },
  },
  "status of its own, and another type": {
    version: { subresources: { status: {} }, ...schema({ type: "string" }) },
  },
  "unknown strategy": { spec: { conversion: { strategy: "Magic" } } },
  "no strategy": { spec: { conversion: {} } },
  "webhook without one": { spec: { conversion: { strategy: "Webhook" } } },
  "webhook without a strategy": {
    spec: { conversion: { ...(webhook({ service })["conversion"] as Json), strategy: "None" } },
  },
  "webhook without a place": { spec: webhook({}) },
  "webhook of two places": { spec: webhook({ service, url: "https://a" }) },
  "webhook of a bad service": {
    spec: webhook({ service: { namespace: "", name: "b", path: "a//B", port: 0 } }),
  },
  "webhook of no name": { spec: webhook({ service: { namespace: "a", name: "", path: "//", port: 70000 } }) },
  "webhook of a bad URL": { spec: webhook({ url: "http://u:p@/a?b=c#d" }) },
  "webhook without versions": { spec: webhook({ service }, []) },
  "webhook of odd versions": { spec: webhook({ service }, ["A", "v9", "v9"]) },
  "name of another resource": { metadata: { name: "gadgets.example.com" } },
};

/** Merge patches of an established definition with the versions v1, which is stored, and v2. */
export const changes: Readonly<Record<string, Json>> = {
  nothing: {},
  "another stored version": { spec: { versions: [version("v1"), version("v2", { storage: true })] } },
  "a version less": { spec: { versions: [version("v1", { storage: true })] } },
  "the stored version less": { spec: { versions: [version("v2", { storage: true })] } },
  "another scope": { spec: { scope: "Cluster" } },
  "another group": { spec: { group: "other.example.com" } },
  "another kind": { spec: { names: { kind: "Gadget" } } },
  "another plural": { spec: { names: { plural: "gadgets" } } },
  "more names": { spec: { names: { shortNames: ["wd"], categories: ["all"], singular: "wi" } } },
  "a wrong schema": {
    spec: {
      versions: [version("v1", { storage: true, ...schema({ type: "object", properties: { a: {} } }) })],
    },
  },
  "fields within items that say nothing": {
    spec: {
      versions: [
        version("v1", {
          storage: true,
          ...schema({
            type: "object",
            properties: { a: { type: "array", items: { type: "string", description: "", enum: [] } } },
          }),
        }),
        version("v2"),
      ],
    },
  },
  "an unknown format": {
    spec: {
      versions: [
        version("v1", {
          storage: true,
          ...schema({ type: "object", properties: { a: { type: "string", format: "odd" } } }),
        }),
      ],
    },
  },
  "unknown fields are kept": { spec: { preserveUnknownFields: true } },
};
