import type { ApiObject } from "../../api/object.ts";
import type { Steps } from "../../api/steps.ts";
import { parseJson } from "../../api/wire-json.ts";
import { compare } from "./compare.ts";
import type { FieldSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { difference, union } from "./field-set.ts";
import { fieldsOf } from "./own-fields.ts";
import { compareStrings } from "./path-element.ts";
import { complete, isList, isObject } from "./typed-value.ts";

/**
 * `kubectl apply` without --server-side notes what it applied in this annotation. When kubectl turns to applying at the
 * server, it takes over its own fields without conflicts, and keeps the note for the way back.
 */
const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const maxAnnotationBytes = 256 * 1024;

/** The fields that kubectl itself applied, and that still are as it did; undefined when there is no such note. */
export function* lastAppliedFields(
  live: ApiObject | undefined,
  context: { readonly schema: FieldSchema; readonly manager: string; readonly apiVersion: string },
): Steps<FieldSet | undefined> {
  const noted = live?.metadata.annotations?.[annotation];
  if (context.manager !== "kubectl" || !noted) return undefined;
  const lastApplied = parseObject(noted);
  if (lastApplied?.["apiVersion"] !== context.apiVersion) return undefined;
  const { added, modified, removed } = yield* compare(
    context.schema,
    lastApplied,
    yield* complete(context.schema, live),
  );
  const changed = yield* union(yield* union(added, modified), removed);
  return yield* difference(yield* fieldsOf(context.schema, lastApplied), changed);
}

/** Keeps the note up to date, where there is one. */
export function withLastApplied(object: ApiObject, applied: ApiObject, manager: string): ApiObject {
  const annotations = object.metadata.annotations ?? {};
  if (manager !== "kubectl" || !annotations[annotation]) return object;
  const { [annotation]: _, ...others } = annotations;
  const next = { ...others, [annotation]: `${sortedJson(withoutNote(applied))}\n` };
  const kept = byteSize(next) > maxAnnotationBytes ? others : next;
  return { ...object, metadata: { ...object.metadata, annotations: kept } };
}

function withoutNote(applied: ApiObject): ApiObject {
  if (applied.metadata.annotations?.[annotation] === undefined) return applied;
  const { [annotation]: _, ...annotations } = applied.metadata.annotations;
  return { ...applied, metadata: { ...applied.metadata, annotations } };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    // Anybody may write annotations; a note that cannot be read is none.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** With the keys in order, as the API server writes it. */
function sortedJson(value: unknown): string {
  if (isList(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  const members = entries
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([key, part]) => `${JSON.stringify(key)}:${sortedJson(part)}`);
  return `{${members.join(",")}}`;
}

function byteSize(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}
