// Renders pkg/api/resources.gen.ts from the API server's aggregated discovery documents.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly Discovered[] }[];
  }[];
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Discovered {
  readonly resource: string;
  readonly responseKind: Kind;
  readonly scope: "Namespaced" | "Cluster";
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: Kind;
    readonly verbs: readonly string[];
  }[];
}

interface Row {
  readonly key: string;
  readonly group: string;
  readonly version: string;
  readonly resource: Discovered;
}

const typesDir = join(import.meta.dirname, "../pkg/api/types");
const standardVerbs = "create delete deletecollection get list patch update watch";
const statusVerbs = "get patch update";

/** ReplicaSet and replicasets → replicaSets: the plural in the kind's spelling, its leading capitals lowered. */
function camelPlural(kind: string, plural: string): string {
  let shared = 0;
  while (shared < kind.length && kind[shared]?.toLowerCase() === plural[shared]) shared++;
  const spelled = kind.slice(0, shared) + plural.slice(shared);
  return spelled.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
}

/**
 * A resource goes by its plural. Older versions add theirs (leaseCandidatesV1alpha2); of two groups
 * with the same plural the core group has it, the other adds its group (eventsEvents).
 */
function rowsOf(lists: readonly DiscoveryList[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { metadata, versions } of lists.flatMap((list) => list.items)) {
    const group = metadata.name ?? "";
    const seen = new Set<string>();
    // Versions come in the server's order of preference.
    for (const { version, resources } of versions) {
      for (const resource of resources) {
        const plain = camelPlural(resource.responseKind.kind, resource.resource);
        let key = seen.has(plain) ? plain + version.replace("v", "V") : plain;
        seen.add(plain);
        if (rows.has(key)) key = group.split(".")[0] + key.replace(/^./, (first) => first.toUpperCase());
        if (rows.has(key)) throw new Error(`two resources would be called ${key}`);
        rows.set(key, { key, group, version, resource });
      }
    }
  }
  return [...rows.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Finds the generated interface of a kind; alias keeps the names of all groups and versions apart. */
function typeOf({ group, version, resource }: Row): { name: string; file: string; alias: string } {
  const file = `${(group === "" ? "core" : group).split(".")[0]}-${version}`;
  const prefix = version.replace("v", "V");
  const declared = new Set(
    [...readFileSync(join(typesDir, `${file}.gen.ts`), "utf8").matchAll(/^export interface (\w+)/gm)].map(
      (match) => match[1],
    ),
  );
  const { kind } = resource.responseKind;
  const name = declared.has(prefix + kind) ? prefix + kind : kind;
  if (!declared.has(name)) throw new Error(`${file}: no type for ${kind}`);
  const alias = group === "events.k8s.io" ? "EventsEvent" : name;
  return { name, file, alias };
}

function verbsLiteral(verbs: readonly string[]): string {
  const sorted = [...verbs].sort();
  if (sorted.join(" ") === standardVerbs) return "standardVerbs";
  if (sorted.join(" ") === statusVerbs) return "statusVerbs";
  return JSON.stringify(sorted);
}

function render(row: Row, type: string): string {
  const { group, version, resource } = row;
  const facts = [
    `group: ${JSON.stringify(group)}`,
    `version: ${JSON.stringify(version)}`,
    `plural: ${JSON.stringify(resource.resource)}`,
    `singular: ${JSON.stringify(resource.singularResource)}`,
    `kind: ${JSON.stringify(resource.responseKind.kind)}`,
    `namespaced: ${resource.scope === "Namespaced"}`,
    `shortNames: ${JSON.stringify(resource.shortNames ?? [])}`,
    `categories: ${JSON.stringify(resource.categories ?? [])}`,
    `verbs: ${verbsLiteral(resource.verbs)}`,
  ];
  const subresources = (resource.subresources ?? []).map(({ subresource, responseKind, verbs }) => {
    const kind = { ...responseKind };
    // The server leaves out the group and version of kinds of the resource's own.
    if (kind.version === "") Object.assign(kind, { group, version });
    const isOwn =
      kind.group === group && kind.version === version && kind.kind === resource.responseKind.kind;
    const { group: g, version: v, kind: k } = kind;
    const kindText = isOwn
      ? ""
      : `, kind: { group: ${JSON.stringify(g)}, version: ${JSON.stringify(v)}, kind: ${JSON.stringify(k)} }`;
    return `      { name: ${JSON.stringify(subresource)}${kindText}, verbs: ${verbsLiteral(verbs)} },\n`;
  });
  const list = subresources.length === 0 ? "[]" : `[\n${subresources.join("")}    ]`;
  const lines = [facts.slice(0, 6), facts.slice(6), [`subresources: ${list}`]];
  return `  ${row.key}: define<${type}>({\n${lines.map((line) => `    ${line.join(", ")},\n`).join("")}  }),\n`;
}

export function renderResourceTable(lists: readonly DiscoveryList[]): string {
  const imports = new Map<string, Set<string>>();
  const bodies = rowsOf(lists).map((row) => {
    const { name, file, alias } = typeOf(row);
    const names = imports.get(file) ?? new Set();
    imports.set(file, names.add(alias === name ? name : `${name} as ${alias}`));
    return render(row, alias);
  });
  const header = [...imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([file, names]) => `import type { ${[...names].sort().join(", ")} } from "./types/${file}.gen.ts";\n`,
    );
  return `// Generated by hack/generate-api-facts.ts from an API server's discovery; do not edit.
import type { BuiltInResource } from "./resource.ts";
${header.join("")}
const standardVerbs = ${JSON.stringify(standardVerbs.split(" "))} as const;
const statusVerbs = ${JSON.stringify(statusVerbs.split(" "))} as const;

function define<T>(resource: BuiltInResource<T>): BuiltInResource<T> {
  return resource;
}

/** Every built-in resource in every version, alpha and beta included. */
export const resources = {
${bodies.join("")}} as const;
`;
}
