import { badRequest, notAcceptable, unsupportedMediaType } from "./status-error.ts";

/** What the client wants to see: the object itself, its metadata, or a table for people. */
export type OutputForm =
  | { readonly kind: "object" }
  | { readonly kind: "partial"; readonly version: string }
  | { readonly kind: "table"; readonly version: string; readonly include: "None" | "Metadata" | "Object" };

interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const jsonTypes = new Set(["application/json", "application/*", "*/*"]);
const yamlType = "application/yaml";
const metaVersions = new Set(["v1", "v1beta1"]);

/** Picks the first form in the Accept header that this server has; throws 406 when there is none. */
export function negotiateOutput(accept: string | undefined, query: URLSearchParams): OutputForm {
  if (accept === undefined || accept === "") return { kind: "object" };
  for (const clause of parseAccept(accept)) {
    if (!jsonTypes.has(clause.type) && clause.type !== yamlType) continue;
    const form = formOf(clause, query);
    if (form !== undefined) return form;
  }
  throw notAcceptable();
}

/**
 * Whether an answer is to be written in YAML: where that is asked for before JSON. `asItIs`: there are no other forms
 * (tables), and who asks for one in YAML gets JSON.
 */
export function prefersYaml(accept: string | undefined, asItIs = false): boolean {
  const clause = parseAccept(accept ?? "").find(
    ({ type, parameters }) => (jsonTypes.has(type) || type === yamlType) && !(asItIs && parameters.has("as")),
  );
  return clause?.type === yamlType;
}

function formOf(clause: AcceptClause, query: URLSearchParams): OutputForm | undefined {
  const as = clause.parameters.get("as");
  if (as === undefined) return { kind: "object" };
  const version = clause.parameters.get("v") ?? "";
  if (clause.parameters.get("g") !== "meta.k8s.io" || !metaVersions.has(version)) return undefined;
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
    return { kind: "partial", version };
  if (as !== "Table") return undefined;
  return { kind: "table", version, include: includeObject(query.get("includeObject") ?? "") };
}

function includeObject(value: string): "None" | "Metadata" | "Object" {
  if (value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be ` +
      "'Metadata', 'Object', 'None', or empty",
  );
}

/** Clauses in order of preference. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses = header.split(",").map((part): AcceptClause => {
    const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
    const parameters = new Map(
      rest.map((piece): [string, string] => {
        const equals = piece.indexOf("=");
        return equals < 0 ? [piece, ""] : [piece.slice(0, equals), piece.slice(equals + 1)];
      }),
    );
    const quality = Number(parameters.get("q") ?? "1");
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
  });
  // The sort is stable: clauses of equal quality keep the client's order.
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality);
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Bodies of POST and PUT are JSON or YAML; no Content-Type counts as JSON. */
export function requireObjectBody(contentType: string | undefined): void {
  const type = mediaType(contentType);
  if (type === "" || type === "application/json" || type === yamlType) return;
  throw unsupportedMediaType(
    "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml",
  );
}
