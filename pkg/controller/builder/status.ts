import { type NewCondition, setCondition } from "../../api/conditions.ts";
import { semanticEqual } from "../../api/equality.ts";
import type { Int64 } from "../../api/int64.ts";
import { createMergePatch } from "../../api/patch/merge-patch.ts";
import type { Condition } from "../../api/types/meta.gen.ts";

/** The status of an object of this type. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? NonNullable<S> : never;

/** Fields that are given are set, those given as undefined are removed; all others stay as they are. */
export type StatusFields<T> = {
  readonly [Field in Exclude<keyof StatusOf<T>, "conditions" | "observedGeneration">]?:
    | StatusOf<T>[Field]
    | undefined;
} & (T extends { readonly status?: infer S } ? (unknown extends S ? StatusIsUnread : unknown) : unknown);

/** What nobody has: who has not asked for the status cannot tell what is to be written of it. */
interface StatusIsUnread {
  readonly "status is not one of the fields that the controller reads": never;
}

export type Status = Readonly<Record<string, unknown>>;

const text = { type: "string" } as const;

/** Of the conditions of a status, for the definition of a custom resource. */
export const conditionsSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type", "status", "lastTransitionTime", "reason", "message"],
    properties: {
      type: { ...text, maxLength: 316 },
      status: { ...text, enum: ["True", "False", "Unknown"] },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      lastTransitionTime: { ...text, format: "date-time" },
      reason: { ...text, maxLength: 1024 },
      message: { ...text, maxLength: 32_768 },
    },
  },
} as const;

/** A condition of a status. "Unknown" is for what could not be found out. */
export function condition(
  type: string,
  status: boolean | "Unknown",
  reason: string,
  message = "",
): NewCondition {
  return { type, status: status === "Unknown" ? status : status ? "True" : "False", reason, message };
}

export interface StatusWish {
  readonly fields: Status;
  readonly conditions: readonly NewCondition[];
  /** Of the object that was looked at. */
  readonly generation: Int64 | undefined;
}

/** A merge patch for the status; undefined when it is as it should be. */
export function decideStatus(
  status: unknown,
  { fields, conditions, generation }: StatusWish,
  nowMs: number,
): Status | undefined {
  const before = (status ?? {}) as Status;
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  const kept = (before["conditions"] ?? []) as readonly Condition[];
  const after = conditions.reduce((all, each) => setCondition(all, { ...seen, ...each }, nowMs), kept);
  const wanted: Status = { ...before, ...fields, ...seen, ...(after !== kept && { conditions: after }) };
  return semanticEqual(before, wanted) ? undefined : createMergePatch(before, wanted);
}
