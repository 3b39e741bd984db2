import { DUMP_SCHEMA, defineScalarTag, dump, intCoreTag, intYaml11Tag, NOT_RESOLVED } from "js-yaml";
import type { Json } from "../../api/json.ts";
import { countDown, MOST_AT_ONCE } from "../../api/large.ts";
import type { ListBody } from "../server/request.ts";
import { withoutKind } from "./encode.ts";

/** Whole numbers, those of 64 bits too. Texts that readers of either YAML would take for one are quoted. */
const wholeTag = defineScalarTag<number>("tag:yaml.org,2002:int", {
  implicit: true,
  resolve: (source, isExplicit, tagName) => {
    const old = intYaml11Tag.resolve(source, isExplicit, tagName);
    return old === NOT_RESOLVED ? intCoreTag.resolve(source, isExplicit, tagName) : old;
  },
  identify: (data: unknown) => typeof data === "bigint" || Number.isSafeInteger(data),
  represent: String,
});

const options = {
  schema: DUMP_SCHEMA.withTags(wholeTag),
  lineWidth: -1,
  noRefs: true,
  quoteStyle: "double" as const,
  seqNoIndent: true,
  skipInvalid: true,
  sortKeys: true,
};

/** As the API server writes YAML: keys in order, items as far left as their list. */
export function toYaml(value: unknown): string {
  const text = dump(value, options);
  // The library marks the end where a text ends with empty lines; in the middle of a list, that would be the end of it.
  return text.endsWith(END) ? text.slice(0, 1 - END.length) : text;
}

const END = "\n...\n";

/** A list in pieces, an item each. */
export function* encodeListYaml(list: ListBody): Generator<string> {
  const { apiVersion, kind, metadata } = list;
  yield toYaml({ apiVersion });
  if (list.items.length === 0) yield "items: []\n";
  else yield "items:\n";
  for (const item of list.items) yield* yamlPieces([list.bareItems ? withoutKind(item) : item]);
  yield toYaml({ kind, metadata });
}

const NULL = ": null\n";

/** The same text as `toYaml` gives, in pieces that are made one by one. */
export function* yamlPieces(value: unknown, most = MOST_AT_ONCE): Generator<string, void> {
  if (countDown(value, most) >= 0) yield toYaml(value);
  else if (Array.isArray(value)) yield* piecesOfList(value, most);
  else yield* piecesOfObject(value as Json, most);
}

function* piecesOfList(list: readonly unknown[], most: number): Generator<string> {
  for (let start = 0; start < list.length;) {
    const end = endOfShort(list, start, most);
    if (end > start) {
      yield toYaml(list.slice(start, end));
      start = end;
      continue;
    }
    let isFirst = true;
    for (const piece of yamlPieces(list[start], most)) {
      const text = indented(piece);
      yield isFirst ? `- ${text.slice(2)}` : text;
      isFirst = false;
    }
    start++;
  }
}

function* piecesOfObject(object: Json, most: number): Generator<string> {
  const keys = Object.keys(object).sort();
  const members = keys.map((key) => object[key]);
  for (let start = 0; start < keys.length;) {
    const end = endOfShort(members, start, most);
    const key = keys[start] ?? "";
    if (end > start) {
      yield toYaml(Object.fromEntries(keys.slice(start, end).map((name) => [name, object[name]])));
      start = end;
      continue;
    }
    start++;
    const head = toYaml({ [key]: null });
    const member = object[key];
    // A key that is very long, or has lines, is written in a way of its own.
    if (!head.endsWith(NULL) || head.indexOf("\n") < head.length - 1) {
      yield toYaml({ [key]: member });
      continue;
    }
    yield `${head.slice(0, -NULL.length)}:\n`;
    for (const piece of yamlPieces(member, most)) yield Array.isArray(member) ? piece : indented(piece);
  }
}

/** What begins at `start` and is short together; none when the first is long itself. */
function endOfShort(values: readonly unknown[], start: number, most: number): number {
  let left = most;
  let end = start;
  while (end < values.length) {
    left = countDown(values[end], left);
    if (left < 0) break;
    end++;
  }
  return end;
}

/** Empty lines are those of texts, which have no indentation. */
function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
