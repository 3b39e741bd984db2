import type { AnyCrd } from "./crd.ts";

const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^spec\.names\./, ""],
  [/^spec\.(?:scope|group)$/, ""],
  [/^spec\.additionalPrinterColumns/, "printerColumns"],
  [/^spec\.subresources\.scale/, "scale"],
  [/^spec\.selectableFields/, "selectableFields"],
  [/^spec\.conversion\.webhookClientConfig/, "conversionWebhook"],
];

/**
 * The place in what the author wrote of a place in the manifest: `spec.versions[0].schema.openAPIV3Schema
 * .properties[spec].properties[replicas].type` is `spec.replicas.type`. That of another version has its name in front.
 */
export function placeOf(field: string, crd: AnyCrd): string {
  // What is told of the first version once more, as if there were no others.
  if (field === "spec.version") return "version";
  const [, index, below] = /^spec\.versions\[(\d+)\]\.(.*)$/.exec(field) ?? [];
  const version = Number(index) > 0 ? crd.conversions[Number(index) - 1]?.from.version : undefined;
  const place = below === "name" ? "version" : inSource(below === undefined ? field : `spec.${below}`);
  return version === undefined ? place : `${version}: ${place}`;
}

function inSource(field: string): string {
  const inSchema = /^spec\.(?:validation|schema)\.openAPIV3Schema\.?(.*)$/.exec(field);
  if (inSchema !== null) return schemaPlace(inSchema[1] ?? "");
  // upstream: types_jsonschema.go writes this one name as Go has it.
  if (field.endsWith(".JSONPath")) return inSource(field.replace(/JSONPath$/, "jsonPath"));
  for (const [pattern, place] of PLACES)
    if (pattern.test(field))
      return place === "" ? (field.split(".").at(-1) ?? field) : field.replace(pattern, place);
  return field;
}

function schemaPlace(steps: string): string {
  return steps
    .replaceAll(/\.?properties\[([^\]]*)\]/g, ".$1")
    .replaceAll(/\.?items\b(?!\[)/g, "[]")
    .replaceAll(/\.?additionalProperties\b/g, "{}")
    .replace(/^x-kubernetes-validations/, "rules")
    .replace(/^\./, "");
}
