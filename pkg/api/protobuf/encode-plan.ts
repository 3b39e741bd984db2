import { type GoField, goStruct } from "../go-types.ts";
import { messageTexts } from "./fields.gen.ts";

/** What is to be done with one field of a message. */
export interface EncodedField {
  readonly number: number;
  readonly name: string;
  readonly shape: "one" | "list" | "map";
  /** A scalar's name, or a message's. */
  readonly type: string;
  /** It is written also when it is not set: no pointer of Go. */
  readonly always: boolean;
  /** Of a message whose fields stand in the parent. */
  readonly inline: readonly EncodedField[] | undefined;
}

/** Of messages that are no structs of objects, the fields that are pointers in Go. */
const pointers: ReadonlySet<string> = new Set([
  "meta.v1.ListMeta remainingItemCount",
  "meta.v1.ListMeta shardInfo",
  "meta.v1.Status details",
  "apiextensions.v1.JSONSchemaPropsOrArray schema",
  "apiextensions.v1.JSONSchemaPropsOrBool schema",
  "apiextensions.v1.JSONSchemaPropsOrStringArray schema",
]);
const plans = new Map<string, readonly EncodedField[]>();

/** From the last field to the first. Made when it is first asked for. */
export function encodePlanOf(message: string): readonly EncodedField[] {
  const known = plans.get(message);
  if (known !== undefined) return known;
  const plan = makePlan(message, goStruct(message)?.fields);
  plans.set(message, plan);
  return plan;
}

function makePlan(
  message: string,
  fields: ReadonlyMap<string, GoField> | undefined,
): readonly EncodedField[] {
  const text = messageTexts[message] ?? "";
  if (text === "") return [];
  return text
    .split(";")
    .map((line): EncodedField => {
      const [number = "", name = "", type = ""] = line.split(" ");
      const shape = type.startsWith("[]") ? "list" : type.startsWith("{}") ? "map" : "one";
      const isInline = name.startsWith("~");
      const isPointer = fields?.get(name)?.type.pointer ?? pointers.has(`${message} ${name}`);
      return {
        number: Number(number),
        name,
        shape,
        type: shape === "one" ? type : type.slice(2),
        always: shape === "one" && !isPointer && type !== "bytes",
        inline: isInline ? makePlan(type, goStruct(type)?.fields ?? fields) : undefined,
      };
    })
    .toSorted((a, b) => b.number - a.number);
}
