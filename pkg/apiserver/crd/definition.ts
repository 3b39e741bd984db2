import type { ApiObject } from "../../api/object.ts";
import type { WebhookClientConfig } from "../../api/types/admissionregistration-v1.gen.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";

/** A CustomResourceDefinition as it is stored: defaults are filled in. */
export interface CustomResourceDefinition extends ApiObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: Names;
    readonly versions: readonly CustomVersion[];
    readonly preserveUnknownFields?: boolean;
    readonly conversion?: {
      readonly strategy: string;
      readonly webhook?: ConversionWebhookConfig;
    };
  };
  readonly status?: {
    readonly conditions?: readonly Condition[] | null;
    readonly acceptedNames?: Partial<Names>;
    readonly storedVersions?: readonly string[];
  };
}

export interface ConversionWebhookConfig {
  readonly clientConfig?: WebhookClientConfig;
  readonly conversionReviewVersions: readonly string[];
}

export interface Names {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CustomVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: OpenApiSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: CustomScale };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface CustomScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
export const definitionBucket = "apiextensions.k8s.io/customresourcedefinitions";

export function conditionIsTrue(definition: CustomResourceDefinition, type: string): boolean {
  return (definition.status?.conditions ?? []).some((one) => one.type === type && one.status === "True");
}

/** The conditions with this one in the place of its type; the time stays unless the status changes. */
export function withCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "lastTransitionTime">,
  now: string,
): readonly Condition[] {
  const before = conditions.find((one) => one.type === next.type);
  const lastTransitionTime = before?.status === next.status ? (before.lastTransitionTime ?? now) : now;
  const { type, status, reason = "", message = "" } = next;
  const made = { type, status, lastTransitionTime, reason, message };
  return before === undefined
    ? [...conditions, made]
    : conditions.map((one) => (one.type === next.type ? made : one));
}
