import { CORE_SCHEMA, load, YAMLException } from "js-yaml";
import { isJson, type Json } from "../../pkg/api/json.ts";
import { parseJson } from "../../pkg/api/wire-json.ts";
import { type RunNames, type Step, TOKEN } from "./case.ts";
import type { Answer } from "./side.ts";

/** An answer without what each server chooses for itself. */
export interface MaskedAnswer {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly contentType: string;
  readonly retryAfter: string;
  /** Parsed, where it is JSON; the lines of a stream as a list. */
  readonly body: unknown;
}

/** Of the names of volumes, of objects with generateName, and of what the servers hash. */
const random = "[bcdfghjklmnpqrstvwxz2456789]{5}";

/** Stands for a list of which nothing is of the case: what else there is differs, and whether there is. */
export const OTHERS = "<only others>";

export function masked(answer: Answer, names: RunNames, step: Pick<Step, "body">): MaskedAnswer {
  const text = withoutGenerated(maskText(answer.text, names), step.body);
  return {
    status: answer.status,
    warnings: answer.warnings.map((line) => maskText(line, names)).toSorted(),
    contentType: answer.contentType,
    retryAfter: answer.retryAfter,
    body: maskValue(parsed(text, answer.contentType), names),
  };
}

function parsed(text: string, contentType: string): unknown {
  if (contentType.includes("yaml")) return fromYaml(text);
  if (!contentType.includes("json") || text === "") return text;
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map(parseJson);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

function fromYaml(text: string): unknown {
  try {
    // As YAML, braces are a map.
    return load(text.replaceAll("{{ns}}", "namespace-of-the-case"), { schema: CORE_SCHEMA });
  } catch (error) {
    // Several documents: what a watch sends.
    if (error instanceof YAMLException) return text;
    throw error;
  }
}

/** Masking twice is masking once. */
export function maskText(text: string, { token, namespace }: RunNames): string {
  return (
    text
      .replaceAll(token, TOKEN)
      .replaceAll(namespace, "{{ns}}")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "<uid>")
      .replaceAll(/20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, "<micro time>")
      .replaceAll(/20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
      .replaceAll(new RegExp(`kube-api-access-${random}`, "g"), "kube-api-access-<5>")
      .replaceAll(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=<hash>")
      .replaceAll(/\b10\.96\.\d+\.\d+/g, "<address>")
      // Another name in a program that was built as a dependency of this module.
      .replaceAll(/in scheme (\\*)"[^"\\]*\\*"/g, "in scheme <scheme>")
      .replaceAll(
        /((?:resource version|current|object meta|in precondition): |in (?:record|the precondition) \()\d+/gi,
        "$1<rv>",
      )
      .replaceAll(/(\\"resourceVersion\\":\\")[1-9]\d*/g, "$1<rv>")
  );
}

function maskValue(value: unknown, names: RunNames): unknown {
  if (Array.isArray(value)) return value.map((item) => maskValue(item, names));
  if (!isJson(value)) return typeof value === "string" ? withSortedDocuments(maskCell(value), names) : value;
  const copy: Json = {};
  for (const [key, member] of Object.entries(value)) copy[key] = maskMember(key, member, names);
  sortRules(copy);
  return maskGenerated(copy);
}

function maskMember(key: string, member: unknown, names: RunNames): unknown {
  if (key === "resourceVersion" && typeof member === "string" && /^[1-9]\d*$/.test(member)) return "<rv>";
  if (key === "continue" && typeof member === "string") return "<continue>";
  if (key === "token" && typeof member === "string" && member.startsWith("ey")) return "<token>";
  if ((key === "nodePort" || key === "healthCheckNodePort") && Number(member) >= 30_000) return "<port>";
  // They are in the order of their seconds, of which a slow machine needs more.
  if (key === "managedFields" && Array.isArray(member)) return maskValue(member.toSorted(byText), names);
  // Of lists that select nothing by the case itself: others are at work in the cluster.
  if (key === "items" && Array.isArray(member)) return ofCase(member, isOfCase, names);
  if (key === "rows" && Array.isArray(member)) return ofCase(member, isRowOfCase, names);
  return maskValue(member, names);
}

function ofCase(list: readonly unknown[], isOurs: (item: unknown) => boolean, names: RunNames): unknown {
  const ours = list.filter(isOurs);
  return ours.length === 0 && list.length > 0 ? OTHERS : maskValue(ours, names);
}

/** Of a SelfSubjectRulesReview: the real server takes bindings as they come out of a map. */
function sortRules(object: Json): void {
  const { resourceRules, nonResourceRules } = object;
  if (!Array.isArray(resourceRules) || !Array.isArray(nonResourceRules)) return;
  object["resourceRules"] = resourceRules.toSorted(byText);
  object["nonResourceRules"] = nonResourceRules.toSorted(byText);
}

function byText(one: unknown, other: unknown): number {
  const [a = "", b = ""] = [one, other].map((value) => JSON.stringify(value));
  return a < b ? -1 : Number(a > b);
}

function isOfCase(item: unknown): boolean {
  const metadata = isJson(item) ? item["metadata"] : undefined;
  if (!isJson(metadata)) return true;
  return `${String(metadata["name"])} ${String(metadata["namespace"])}`.includes(TOKEN);
}

/** Rows may come without their objects. */
function isRowOfCase(row: unknown): boolean {
  if (!isJson(row)) return false;
  const { object, cells } = row;
  return isJson(object) ? isOfCase(object) : JSON.stringify(cells).includes(TOKEN);
}

function maskGenerated(object: Json): Json {
  const metadata = object["metadata"];
  if (!isJson(metadata)) return object;
  const { name, generateName } = metadata;
  if (typeof name !== "string" || typeof generateName !== "string" || generateName === "") return object;
  if (new RegExp(`${random}$`).test(name)) metadata["name"] = name.replace(new RegExp(`${random}$`), "<5>");
  return object;
}

/** What refuses an object tells the name that was made for it, which no field says as what it was made. */
function withoutGenerated(text: string, body: unknown): string {
  const metadata = isJson(body) ? body["metadata"] : undefined;
  const prefix = isJson(metadata) ? metadata["generateName"] : undefined;
  if (typeof prefix !== "string" || prefix === "") return text;
  const start = JSON.stringify(prefix.slice(0, 58)).slice(1, -1);
  return text.replaceAll(new RegExp(`${RegExp.escape(start)}${random}(?![a-z0-9])`, "g"), `${start}<5>`);
}

/** upstream: apply goes through maps as they come. */
function withSortedLines(text: string): string {
  return text.replace(/(?<=: errors:\n)(?: {2}.*(?:\n|$))+/, (lines) =>
    lines.split("\n").toSorted().join("\n"),
  );
}

/** What a patch has led to is told in a refusal: each server writes it in an order of its own. */
function withSortedDocuments(text: string, names: RunNames): string {
  return withSortedLines(text).replaceAll(/(?<=Invalid value: )"\{(?:[^"\\]|\\.)*\}"(?=: )/gs, (quoted) => {
    try {
      return JSON.stringify(
        JSON.stringify(sorted(maskValue(JSON.parse(JSON.parse(quoted) as string), names))),
      );
    } catch (error) {
      // It may be quoted as JSON does not.
      if (error instanceof SyntaxError) return quoted;
      throw error;
    }
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJson(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

/** Ages in tables. */
function maskCell(text: string): string {
  return /^\d+(?:\.\d+)?(?:s|ms|m|m\d+s|h)$/.test(text) ? "<age>" : text;
}
