// Writes pkg/api/types/*.gen.ts: readonly interfaces for the JSON on the wire, one file per API group and version.
// The facts (fields, types, what is optional) come from the models of @kubernetes/client-node, whose own
// declarations describe its decoded objects instead: Date for times, `_continue` for `continue`.
// `--check` writes nothing and fails when a file is out of date.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Field,
  type Model,
  INT64,
  groupVersions,
  importedModels,
  namespacedModels,
  readModel,
  references,
} from "./client-node-models.ts";

const out = join(import.meta.dirname, "../pkg/api/types");

/** Where a model's interface lives and what it is called there. */
interface Home {
  readonly file: string;
  readonly name: string;
}

/** Written by hand in pkg/api/object.ts. */
const handWritten = new Set([
  "ListMeta",
  "ManagedFieldsEntry",
  "ObjectMeta",
  "OwnerReference",
  "ShardInfo",
  "Status",
  "StatusCause",
  "StatusDetails",
]);

/** Stands for the metadata of what is in a namespace, which client-node does not tell apart. */
const NAMESPACED_META = "V1NamespacedMeta";

/** Models of k8s.io/apimachinery, which belong to no API group. */
const meta = [
  "V1APIGroup",
  "V1APIGroupList",
  "V1APIResource",
  "V1APIResourceList",
  "V1APIVersions",
  "V1Condition",
  "V1DeleteOptions",
  "V1FieldSelectorRequirement",
  "V1GroupResource",
  "V1GroupVersionForDiscovery",
  "V1LabelSelector",
  "V1LabelSelectorRequirement",
  "V1Preconditions",
  "V1ServerAddressByClientCIDR",
  "VersionInfo",
];

/** Models of one group that the API classes of others mention first: bodies of subresources, shared parts. */
const homeFiles: Readonly<Record<string, string>> = {
  V1Scale: "autoscaling-v1",
  V1ScaleSpec: "autoscaling-v1",
  V1ScaleStatus: "autoscaling-v1",
  V1Eviction: "policy-v1",
  AuthenticationV1TokenRequest: "authentication-v1",
  V1TopologySelectorLabelRequirement: "core-v1",
  V1TopologySelectorTerm: "core-v1",
};

/** Times that the Go types hold by value: an unset one is null on the wire, even with omitempty. */
const nullableTimes = new Set([
  "eventTime",
  "evictionTime",
  "finishedAt",
  "firstTimestamp",
  "lastHeartbeatTime",
  "lastObservedTime",
  "lastProbeTime",
  "lastTimestamp",
  "lastTransitionTime",
  "lastUpdateTime",
  "startedAt",
]);

const groupPrefix =
  /^(Admissionregistration|Apiextensions|Apiregistration|Authentication|Core|Discovery|Events|Flowcontrol|Rbac|Resource|Storage)(?=V1[A-Z])/;

/** Strips the group and the stable version from a model's name: V1Pod → Pod, CoreV1Event → Event. */
function plainName(model: string): string {
  return model.replace(groupPrefix, "").replace(/^V\d+(?=[A-Z])/, "");
}

function collect(): { models: Map<string, Model>; homes: Map<string, Home> } {
  const models = new Map<string, Model>();
  const homes = new Map<string, Home>([[NAMESPACED_META, { file: "../object", name: "NamespacedMeta" }]]);
  const namespaced = new Set(groupVersions().flatMap(({ apiClass }) => namespacedModels(apiClass)));
  const claim = (model: string, file: string): void => {
    if (models.has(model) || model === "V1MicroTime" || model === NAMESPACED_META) return;
    const read = namespaced.has(model) ? inNamespace(readModel(model)) : readModel(model);
    const name = plainName(model);
    models.set(model, read);
    if (!isList(read)) homes.set(model, { file: handWritten.has(name) ? "../object" : file, name });
    for (const reference of references(read)) claim(reference, homeFiles[reference] ?? file);
  };
  for (const model of meta) claim(model, "meta");
  for (const [model, file] of Object.entries(homeFiles)) claim(model, file);
  for (const { file, apiClass } of groupVersions()) {
    for (const model of importedModels(apiClass)) claim(model, homeFiles[model] ?? file);
  }
  keepPrefixOfOlderTwins(homes);
  return { models, homes };
}

function inNamespace(model: Model): Model {
  const ofMetadata = (field: Field): Field =>
    field.name === "metadata" ? { ...field, type: NAMESPACED_META } : field;
  return { ...model, fields: model.fields.map(ofMetadata) };
}

/** autoscaling/v1 and /v2 are both stable; only the newest version's twin goes by the plain name. */
function keepPrefixOfOlderTwins(homes: Map<string, Home>): void {
  const newest = new Map<string, string>();
  const groupOf = (home: Home): string => `${home.file.replace(/-v.*/, "")}/${home.name}`;
  const all = [...homes].sort(([, a], [, b]) => (a.file < b.file ? -1 : 1));
  for (const [, home] of all) newest.set(groupOf(home), home.file);
  for (const [model, home] of all) {
    if (newest.get(groupOf(home)) !== home.file) homes.set(model, { ...home, name: model });
  }
}

function wireType(field: Field, names: ReadonlyMap<string, string>): string {
  const convert = (type: string): string => {
    const element = /^Array<(.*)>$/.exec(type)?.[1];
    if (element !== undefined) return `readonly ${convert(element)}[]`;
    const value = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
    if (value !== undefined) return `Readonly<Record<string, ${convert(value)}>>`;
    if (type === "Date" || type === "V1MicroTime") return "string";
    if (type === "IntOrString") return "number | string";
    if (type === "any") return "unknown";
    const name = names.get(type) ?? type;
    if (!/^(string|number|boolean)$/.test(name) && name !== INT64 && !names.has(type))
      throw new Error(`no type ${type}`);
    return name;
  };
  const type = convert(field.type);
  return field.optional && type === "string" && nullableTimes.has(field.name) ? "string | null" : type;
}

function isKind(model: Model): boolean {
  const names = new Set(model.fields.map((field) => field.name));
  return names.has("apiVersion") && names.has("kind") && names.has("metadata");
}

/** PodList and its like are ObjectList<Pod> of pkg/api/object.ts. */
function isList(model: Model): boolean {
  return isKind(model) && model.fields.some((field) => field.name === "items");
}

function render(model: Model, name: string, names: ReadonlyMap<string, string>): string {
  const lines = model.fields.map((field) => {
    const key = /^[A-Za-z_]\w*$/.test(field.name) ? field.name : JSON.stringify(field.name);
    const optional = field.optional && !(isKind(model) && field.name === "metadata");
    return `  readonly ${key}${optional ? "?" : ""}: ${wireType(field, names)};\n`;
  });
  return `export interface ${name} {\n${lines.join("")}}\n`;
}

function renderFile(
  file: string,
  models: ReadonlyMap<string, Model>,
  homes: ReadonlyMap<string, Home>,
): string {
  const own = [...homes].filter(([, home]) => home.file === file);
  own.sort(([, a], [, b]) => (a.name < b.name ? -1 : 1));
  const imports = new Map<string, Set<string>>();
  const names = new Map([...homes].map(([model, home]) => [model, home.name]));
  const bodies = own.map(([id, home]) => {
    const model = models.get(id);
    if (model === undefined) throw new Error(`${id}: not read`);
    for (const reference of references(model)) {
      const from = homes.get(reference);
      if (from !== undefined && from.file !== file) addTo(imports, from.file, from.name);
    }
    if (model.fields.some(({ type }) => type.includes(INT64))) addTo(imports, "../int64", INT64);
    return render(model, home.name, names);
  });
  const header = [...imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, used]) => {
      const path = from.startsWith("..") ? `${from}.ts` : `./${from}.gen.ts`;
      return `import type { ${[...used].sort().join(", ")} } from "${path}";\n`;
    });
  return `// Generated by hack/generate-types.ts; do not edit.\n${header.join("")}\n${bodies.join("\n")}`;
}

function addTo(imports: Map<string, Set<string>>, file: string, name: string): void {
  const names = imports.get(file) ?? new Set();
  imports.set(file, names.add(name));
}

function writeAll(files: ReadonlyMap<string, string>): void {
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out)) if (!files.has(name)) rmSync(join(out, name));
  for (const [name, text] of files) writeFileSync(join(out, name), text);
}

function staleFiles(files: ReadonlyMap<string, string>): string[] {
  const present = new Set(readdirSync(out));
  const missing = [...files.keys()].filter((name) => !present.has(name));
  const wrong = [...present].filter((name) => files.get(name) !== readFileSync(join(out, name), "utf8"));
  return [...missing, ...wrong];
}

const { models, homes } = collect();
const names = [...new Set([...homes.values()].map((home) => home.file))].filter(
  (file) => !file.startsWith(".."),
);
const files = new Map(names.sort().map((file) => [`${file}.gen.ts`, renderFile(file, models, homes)]));
if (process.argv.includes("--check")) {
  const stale = staleFiles(files);
  if (stale.length > 0) console.error(`out of date, run node hack/generate-types.ts: ${stale.join(", ")}`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  writeAll(files);
}
