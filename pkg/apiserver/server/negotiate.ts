import { PROTOBUF_TYPE } from "../../api/protobuf/decode.ts";
import { notAcceptable, StatusError, unsupportedMediaType } from "./status-error.ts";

/** What the client wants to see: the object itself, its metadata, or a table for people. */
export type OutputForm =
  | { readonly kind: "object" }
  | { readonly kind: "partial"; readonly version: string; readonly of: "one" | "many" }
  | {
      readonly kind: "table";
      readonly version: string;
      /** As the client says it: what is wrong with it is told once there is something to be shown. */
      readonly include: string;
    };

export interface Negotiated {
  readonly route?: "one" | "many" | "computed";
  readonly inProtobuf?: boolean;
}

interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

export type MediaType = "application/json" | "application/yaml" | typeof PROTOBUF_TYPE;

const yamlType = "application/yaml";
/** In the order in which the server prefers them. */
const produced: readonly MediaType[] = ["application/json", yamlType, PROTOBUF_TYPE];
const streams = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const MOST_REMEMBERED = 100;
const LONGEST_REMEMBERED = 1_000;
const metaVersions = new Set(["v1", "v1beta1"]);

/**
 * Picks the first form in the Accept header that this server has; throws 406 when there is none. Of what is computed on
 * request there are no tables. `inProtobuf`: whether the objects can be written so; metadata always can.
 */
export function negotiateOutput(
  accept: string | undefined,
  query: URLSearchParams,
  { route = "one", inProtobuf = true }: Negotiated = {},
): OutputForm {
  if (accept === undefined || accept === "") return { kind: "object" };
  requireProduced(accept, route === "many" ? [...produced, ...streams] : produced);
  for (const clause of parseAccept(accept)) {
    const form = typeFor(clause, inProtobuf) === undefined ? undefined : formOf(clause, query);
    if (form !== undefined && (form.kind !== "table" || route !== "computed")) return form;
  }
  throw new StatusError(
    406,
    "NotAcceptable",
    `only the following media types are accepted: ${produced.join(", ")}`,
  );
}

/** The router looks at whole types only, before anything else: it knows no "application/*". */
function requireProduced(accept: string, types: readonly string[]): void {
  const named = typesIn(accept);
  if (!named.some((type) => type === "*/*" || types.includes(type))) throw notAcceptable(types);
}

/**
 * What the answer is written as. `asItIs`: there are no other forms (tables), and who asks for one in YAML gets JSON.
 * `inProtobuf`: whether what is to be written can be written so.
 */
export function acceptedType(accept: string | undefined, asItIs: boolean, inProtobuf: boolean): MediaType {
  for (const clause of parseAccept(accept ?? "")) {
    if (asItIs && clause.parameters.has("as")) continue;
    const type = typeFor(clause, inProtobuf);
    if (type !== undefined && (type !== PROTOBUF_TYPE || inProtobuf)) return type;
  }
  return "application/json";
}

/** The type of a clause whose form can be written in it. */
function typeFor(clause: AcceptClause, inProtobuf: boolean): MediaType | undefined {
  const type = clause.type === "*/*" ? "application/json" : produced.find((one) => one === clause.type);
  const kind = formKind(clause);
  if (kind === undefined || type !== PROTOBUF_TYPE) return kind && type;
  return kind === "Table" || (kind === "object" && !inProtobuf) ? undefined : type;
}

const transformations = ["PartialObjectMetadata", "PartialObjectMetadataList", "Table"] as const;

/** What the clause wants objects turned into; undefined when the server cannot do that. */
function formKind({ parameters }: AcceptClause): "object" | (typeof transformations)[number] | undefined {
  const as = parameters.get("as");
  if (as === undefined) return "object";
  const version = parameters.get("v") ?? "";
  if (parameters.get("g") !== "meta.k8s.io" || !metaVersions.has(version)) return undefined;
  return transformations.find((one) => one === as);
}

/** Whether the answer is to be written in YAML: where that is asked for before others. */
export function prefersYaml(accept: string | undefined, inProtobuf: boolean): boolean {
  return acceptedType(accept, false, inProtobuf) === yamlType;
}

function formOf(clause: AcceptClause, query: URLSearchParams): OutputForm | undefined {
  const kind = formKind(clause);
  const version = clause.parameters.get("v") ?? "";
  if (kind === undefined || kind === "object") return kind === undefined ? undefined : { kind };
  if (kind === "Table") return { kind: "table", version, include: query.get("includeObject") ?? "" };
  return { kind: "partial", version, of: kind === "PartialObjectMetadata" ? "one" : "many" };
}

const typesIn = remembered((accept): readonly string[] =>
  accept.split(",").map((part) => part.split(";")[0]?.trim() ?? ""),
);

/** Clauses in order of preference. */
export const parseAccept = remembered((header): readonly AcceptClause[] => {
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
});

export const mediaType = (contentType = ""): string => typeIn(contentType);

const typeIn = remembered((contentType) => contentType.split(";")[0]?.trim().toLowerCase() ?? "");

/** Clients say the same in each of their requests. */
function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = new Map<string, T>();
  return (header) => {
    const before = known.get(header);
    if (before !== undefined) return before;
    const found = read(header);
    if (known.size >= MOST_REMEMBERED) known.clear();
    if (header.length <= LONGEST_REMEMBERED) known.set(header, found);
    return found;
  };
}

/** Bodies of POST and PUT are JSON or YAML; no Content-Type counts as JSON. */
export function requireObjectBody(contentType: string | undefined): void {
  const type = mediaType(contentType);
  if (type === "" || type === "application/json" || type === yamlType) return;
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${produced.join(", ")}`,
  );
}
