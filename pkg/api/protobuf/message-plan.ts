import type { ByteCache } from "./byte-cache.ts";
import { goStruct } from "../go-types.ts";
import { messageTexts } from "./fields.gen.ts";
import { ProtobufError } from "./reader.ts";

/** Names of the fields that are wanted, with those below them; undefined stands for all. Lists are passed through. */
export type FieldMask = ReadonlyMap<string, FieldMask | undefined>;

/** What is read of objects, and where values that come again are kept. */
export interface WantedFields {
  readonly mask: FieldMask;
  readonly cache: ByteCache;
}

/** What is to be done with one field of a message. */
export interface FieldPlan {
  readonly number: number;
  /** "" for a message whose fields stand in the parent. */
  readonly name: string;
  readonly shape: "one" | "list" | "map";
  /** A scalar's name, or a message's. */
  readonly type: string;
  /** JSON has "", 0 and false; where it has not, protobuf nevertheless may. */
  readonly keepsZero: boolean;
  /** A time that is not set is null in JSON. */
  readonly keepsNull: boolean;
  readonly mask: FieldMask | undefined;
  /** No other object has this value: there is no use in remembering it. */
  readonly unique: boolean;
}

export interface MessagePlan {
  /** By the number of the field; there is nothing for fields that are not wanted or not known. */
  readonly fields: readonly (FieldPlan | undefined)[];
  /** Fields that are null in JSON when they are not set. */
  readonly nulls: readonly string[];
}

const UNIQUE: ReadonlySet<string> = new Set(["name", "uid", "resourceVersion"]);
const whole = new Map<string, MessagePlan>();
const masked = new WeakMap<FieldMask, Map<string, MessagePlan>>();

export function hasMessage(message: string): boolean {
  return Object.hasOwn(messageTexts, message);
}

/** Made when it is first asked for. */
export function planOf(message: string, mask: FieldMask | undefined): MessagePlan {
  let plans = mask === undefined ? whole : masked.get(mask);
  if (plans === undefined) {
    plans = new Map();
    if (mask !== undefined) masked.set(mask, plans);
  }
  const existing = plans.get(message);
  if (existing !== undefined) return existing;
  const plan = makePlan(message, mask);
  plans.set(message, plan);
  return plan;
}

function makePlan(message: string, mask: FieldMask | undefined): MessagePlan {
  if (!hasMessage(message)) throw new ProtobufError(`there is no message ${message}`);
  const plan: (FieldPlan | undefined)[] = [];
  const fields = goStruct(message)?.fields;
  for (const line of (messageTexts[message] ?? "").split(";")) {
    const [number = "", name = "", type = ""] = line.split(" ");
    const inline = name.startsWith("~");
    if (!inline && mask !== undefined && !mask.has(name)) continue;
    const field = fields?.get(name);
    const shape = type.startsWith("[]") ? "list" : type.startsWith("{}") ? "map" : "one";
    plan[Number(number)] = {
      number: Number(number),
      name: inline ? "" : name,
      shape,
      type: shape === "one" ? type : type.slice(2),
      // Messages that no object has (statuses of lists) are written as they are.
      keepsZero: field === undefined || field.type.pointer || !field.omitsEmpty,
      keepsNull: field?.unset === "null",
      mask: inline ? mask : mask?.get(name),
      unique: message === "meta.v1.ObjectMeta" && UNIQUE.has(name),
    };
  }
  return { fields: plan, nulls: plan.flatMap((field) => (field?.keepsNull === true ? field.name : [])) };
}
