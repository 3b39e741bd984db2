/**
 * Writes pkg/apiserver/kinds/strategies.gen.ts from the strategies of upstream's registries: whether an update may create,
 * whether it must name a version, whether objects count their generations, and which fields an endpoint leaves alone
 * (nobody comes to own these by writing there). Needs the Go module in test/real.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { apiVersionOf, type Resource } from "../pkg/api/resource.ts";
import { allResources, isServedByDefault } from "../pkg/api/resources.ts";

/** Directories that are not named after their kind. */
const kinds: Readonly<Record<string, string>> = {
  certificates: "certificatesigningrequest",
  endpoint: "endpoints",
};

interface Strategy {
  readonly createOnUpdate?: true;
  readonly unconditionalUpdate?: false;
  readonly generation?: true;
  /** By endpoint: "" for the resource itself. */
  readonly reset?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

function moduleDirectory(name: string): string {
  const options = { cwd: join(import.meta.dirname, "../test/real"), encoding: "utf8" } as const;
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", name], options).trim();
}

/** Functions of a file: receiver, name and body. */
function functionsIn(text: string): { receiver: string; name: string; body: string }[] {
  const pattern = /^func \((?:\w+ )?\*?(?<receiver>\w+)\) (?<name>\w+)\([^\n]*\{\n(?<body>.*?)^\}/gms;
  return [...text.matchAll(pattern)].map(({ groups }) => ({
    receiver: groups?.["receiver"] ?? "",
    name: groups?.["name"] ?? "",
    body: groups?.["body"] ?? "",
  }));
}

/** What an endpoint is called by the strategy that it has. */
function endpointOf(receiver: string): string {
  const name = receiver.toLowerCase();
  for (const endpoint of ["status", "approval", "finalize", "resize", "ephemeralcontainers"])
    if (name.includes(endpoint)) return endpoint;
  return "";
}

function resetIn(body: string, apiVersion: string): readonly (readonly string[])[] {
  const set =
    new RegExp(`"${apiVersion}":\\s*fieldpath\\.NewSet\\((.*?)^\\t*\\),?$`, "ms").exec(body)?.[1] ?? "";
  const inserted = body
    .split("\n")
    .filter(
      (line) =>
        line.includes(`fields["${apiVersion}"].Insert`) || line.includes(`"${apiVersion}": fieldpath`),
    );
  const paths = [set, ...inserted].join("\n").matchAll(/MakePathOrDie\(([^)]*)\)/g);
  const found = [...paths].map(([, path = ""]) =>
    path.split(",").map((part) => part.trim().replaceAll('"', "")),
  );
  return [...new Map(found.map((path) => [path.join("."), path])).values()];
}

function strategyOf(text: string, apiVersion: string): Strategy {
  const functions = functionsIn(text);
  const says = (name: string, what: RegExp): boolean =>
    functions.some((one) => one.name === name && endpointOf(one.receiver) === "" && what.test(one.body));
  const reset: Record<string, readonly (readonly string[])[]> = {};
  for (const { receiver, name, body } of functions) {
    if (name !== "GetResetFields") continue;
    const paths = resetIn(body, apiVersion);
    if (paths.length > 0) reset[endpointOf(receiver)] = paths;
  }
  return {
    ...(says("AllowCreateOnUpdate", /return true/) && { createOnUpdate: true as const }),
    ...(says("AllowUnconditionalUpdate", /return false/) && { unconditionalUpdate: false as const }),
    ...(says("PrepareForCreate", /\.Generation = 1/) && { generation: true as const }),
    ...(Object.keys(reset).length > 0 && { reset }),
  };
}

const roots = [
  [join(moduleDirectory("k8s.io/kubernetes"), "pkg/registry"), (group: string) => group],
  [join(moduleDirectory("k8s.io/kube-aggregator"), "pkg"), () => "apiregistration"],
  [join(moduleDirectory("k8s.io/apiextensions-apiserver"), "pkg"), () => "apiextensions"],
] as const;

const found = new Map<string, Strategy>();
for (const [root, groupOf] of roots)
  for (const file of globSync("*/*/strategy.go", { cwd: root })) {
    const [group = "", directory = ""] = file.split(sep);
    const text = readFileSync(join(root, file), "utf8");
    for (const resource of allResources())
      if (isServedByDefault(resource) && isOf(resource, groupOf(group), kinds[directory] ?? directory))
        found.set(`${apiVersionOf(resource)} ${resource.kind}`, strategyOf(text, apiVersionOf(resource)));
  }

function isOf(resource: Resource, group: string, kind: string): boolean {
  const own = resource.group === "" ? "core" : (resource.group.split(".")[0] ?? "");
  if (resource.kind.toLowerCase() !== kind) return false;
  // Both groups of events have the strategy of the older one.
  return own === group || (kind === "event" && own === "events");
}

const lines = [...found]
  .filter(([, strategy]) => Object.keys(strategy).length > 0)
  .map(([name, strategy]) => `  ${JSON.stringify(name)}: ${JSON.stringify(strategy)},\n`);
writeFileSync(
  join(import.meta.dirname, "../pkg/apiserver/kinds/strategies.gen.ts"),
  `// Generated by hack/generate-strategies.ts from upstream's registries; do not edit.

export interface Strategy {
  /** An update may create. */
  readonly createOnUpdate?: boolean;
  /** False: an update names the version that it changes. */
  readonly unconditionalUpdate?: boolean;
  readonly generation?: boolean;
  /** By endpoint ("" is the resource itself): the fields that a write to it leaves alone. */
  readonly reset?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export const strategies: Readonly<Record<string, Strategy>> = {
${lines.sort().join("")}};
`,
);
