// Reads the generated models of @kubernetes/client-node: fields, types, what is optional, which API has them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The type of pkg/api/int64.ts, which the models call a number like any other. */
export const INT64 = "Int64";

const gen = join(import.meta.dirname, "../node_modules/@kubernetes/client-node/dist/gen");

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

export interface Model {
  readonly model: string;
  readonly fields: readonly Field[];
}

function read(path: string): string {
  return readFileSync(join(gen, path), "utf8");
}

export function importedModels(path: string): string[] {
  return [...read(path).matchAll(/models\/(\w+)\.js'/g)].map((match) => match[1] ?? "");
}

/** The models whose objects are created in a namespace. */
export function namespacedModels(path: string): string[] {
  const creates = read(path).matchAll(/createNamespaced\w+\(namespace: string, body: (\w+)/g);
  return [...creates].map((match) => match[1] ?? "");
}

export function readModel(model: string): Model {
  const source = read(`models/${model}.js`);
  const table = /\.attributeTypeMap = (\[[^]*?\n\]);/.exec(source)?.[1];
  if (table === undefined) throw new Error(`${model}: no attributeTypeMap`);
  const optional = new Map(
    [...read(`models/${model}.d.ts`).matchAll(/^ {4}'(\w+)'(\?)?:/gm)].map((match) => [
      match[1],
      match[2] === "?",
    ]),
  );
  const attributes = JSON.parse(table) as { name: string; baseName: string; type: string; format: string }[];
  const fields = attributes.map(({ name, baseName, type, format }) => {
    const isOptional = optional.get(name);
    if (isOptional === undefined) throw new Error(`${model}.${name}: not declared`);
    // Lists and maps have the format of what is in them.
    const exact = format === "int64" ? type.replace("number", INT64) : type;
    return { name: baseName, type: exact, optional: isOptional };
  });
  return { model, fields };
}

export function references(model: Model): string[] {
  return model.fields.flatMap((field) => field.type.match(/\b(?:\w*V\d\w*|VersionInfo)\b/g) ?? []);
}

/**
 * The group-versions that the package has an API class for: core first, since the models that several groups share
 * (PodTemplateSpec, LocalObjectReference …) are its own.
 */
export function groupVersions(): { file: string; apiClass: string }[] {
  const named = new Set([...read("types/PromiseAPI.d.ts").matchAll(/apis\/(\w+)Api\.js/g)].map((m) => m[1]));
  const found = [...named].flatMap((name) => {
    const parts = /^(\w+?)(V\d+(?:(?:alpha|beta)\d+)?)$/.exec(name ?? "");
    if (parts === null) return [];
    const group = (parts[1] ?? "").replace(/(Apiserver|Authorization)$/, "") || "Authorization";
    return [{ file: `${group}-${parts[2]}`.toLowerCase(), apiClass: `apis/${name}Api.d.ts` }];
  });
  const order = (file: string): string => (file === "core-v1" ? "" : file);
  return found.sort((a, b) => (order(a.file) < order(b.file) ? -1 : 1));
}
