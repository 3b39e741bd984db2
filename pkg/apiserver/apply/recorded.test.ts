import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../api/freeze.ts";
import type { ApiObject, StatusCause } from "../../api/object.ts";
import { inOneGo } from "../../api/steps.ts";
import { applyPatch, updateManagedFields } from "./apply.ts";
import { builtInSchema } from "./built-in-schema.ts";
import type { FieldSchema } from "./field-schema.ts";
import { customResourceSchema } from "./openapi-schema.ts";
import { fieldSetOf } from "./ownership.ts";

/**
 * What a kube-apiserver 1.36 answered to random writes by three managers, object by object; times are made one. The
 * result of a step is the live object of the next.
 */
interface Step {
  /** Any write but an apply; `reset` asks to forget all managers. */
  readonly op: "update" | "reset" | "apply";
  readonly manager: string;
  readonly force?: boolean;
  readonly body?: ApiObject;
  readonly result?: ApiObject;
  readonly conflict?: { readonly message: string; readonly causes: readonly StatusCause[] };
}

interface History {
  readonly kind: string;
  readonly steps: readonly Step[];
}

const histories = deepFreeze(
  JSON.parse(
    readFileSync(new URL("testdata/recorded.gen.json", import.meta.url), "utf8"),
  ) as readonly History[],
);

const widgetSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["id"],
          items: { type: "object", properties: { id: { type: "string" }, v: { type: "string" } } },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        atom: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          additionalProperties: { type: "string" },
        },
        list: { type: "array", items: { type: "integer" } },
      },
    },
  },
};

function schemaOf(kind: string): { readonly apiVersion: string; readonly schema: FieldSchema } {
  const apiVersion = { Deployment: "apps/v1", ConfigMap: "v1", Service: "v1" }[kind] ?? "example.com/v1";
  const configMap = builtInSchema("v1", "ConfigMap");
  const metadata = configMap?.kind === "map" ? configMap.field("metadata") : undefined;
  if (metadata === undefined) throw new Error("ConfigMap has no metadata");
  return {
    apiVersion,
    schema: builtInSchema(apiVersion, kind) ?? customResourceSchema(widgetSchema, metadata),
  };
}

describe.each(histories.map(({ kind, steps }, index) => ({ kind, steps, index })))(
  "history $index of a $kind",
  ({ kind, steps }) => {
    const { apiVersion, schema } = schemaOf(kind);
    const rows = steps.map((step, index) => {
      const live = steps.slice(0, index).findLast(({ result }) => result !== undefined)?.result;
      return { index, live, ...step };
    });

    test.each(rows)(
      "step $index: $op by $manager",
      ({ op, manager, force = false, live, body, result, conflict }) => {
        const resetFields = fieldSetOf(kind === "Deployment" || kind === "Service" ? [["status"]] : []);
        const nowMs = Date.UTC(2024, 0, 1);
        const context = { schema, manager, apiVersion, kind, subresource: "", nowMs, resetFields, force };
        if (op !== "apply") {
          const { managedFields, ...metadata } = result?.metadata ?? {};
          const next = {
            ...result,
            metadata: op === "reset" ? { ...metadata, managedFields: [] } : metadata,
          };
          expect(
            inOneGo(updateManagedFields(live, deepFreeze(next), context)).metadata.managedFields,
          ).toEqual(managedFields);
          return;
        }
        const outcome = inOneGo(applyPatch(live, body ?? { metadata: {} }, context));
        if (conflict !== undefined) {
          const { message } = conflict;
          // The server lists the managers in no particular order.
          expect(outcome).toEqual({ kind: "conflict", message, causes: expect.any(Array) as unknown });
          if (outcome.kind !== "conflict") return;
          expect(outcome.causes.toSorted(byText)).toEqual(conflict.causes.toSorted(byText));
        } else {
          expect(outcome.kind).toBe("applied");
          if (outcome.kind !== "applied") return;
          expect(outcome.object.metadata.managedFields).toEqual(result?.metadata.managedFields);
          expect(result).toMatchObject(withoutEmpty(outcome.object));
        }
      },
    );
  },
);

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** The server canonicalises quantities, defaults, and drops empty maps when it decodes what has been merged. */
function withoutEmpty(object: ApiObject): object {
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (key === "managedFields" || key === "cpu") return undefined;
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    return isEmpty ? undefined : value;
  });
  return JSON.parse(text) as object;
}
