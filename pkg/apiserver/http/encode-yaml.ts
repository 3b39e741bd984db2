import { DUMP_SCHEMA, defineScalarTag, dump, intCoreTag, intYaml11Tag, NOT_RESOLVED } from "js-yaml";
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
  return dump(value, options);
}

/** A list in pieces, an item each. */
export function* encodeListYaml(list: ListBody): Generator<string> {
  const { apiVersion, kind, metadata } = list;
  yield toYaml({ apiVersion });
  if (list.items.length === 0) yield "items: []\n";
  else yield "items:\n";
  for (const item of list.items) yield toYaml([list.bareItems ? withoutKind(item) : item]);
  yield toYaml({ kind, metadata });
}
