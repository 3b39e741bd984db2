import type { NamespacedMeta } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import type { CustomResourceDefinition } from "../../../pkg/api/types/apiextensions-v1.gen.ts";
import type { Condition } from "../../../pkg/api/types/meta.gen.ts";

/** Pages that are served by as many pods as are asked for. */
export interface Website {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly replicas: number;
    readonly page: string;
    /** A ConfigMap with the styles; without it pages have none. */
    readonly theme?: string;
  };
  readonly status?: {
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const websites: TypedResource<Website> = {
  group: "example.com",
  version: "v1",
  plural: "websites",
  kind: "Website",
  namespaced: true,
};

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;
const conditionSchema = {
  type: "object",
  properties: {
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: { ...text, format: "date-time" },
    observedGeneration: integer,
  },
} as const;

export const websiteDefinition: CustomResourceDefinition = {
  metadata: { name: "websites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "websites", singular: "website", kind: "Website", listKind: "WebsiteList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["page", "replicas"],
                properties: { page: text, theme: text, replicas: { ...integer, minimum: 0 } },
              },
              status: {
                type: "object",
                properties: {
                  readyReplicas: integer,
                  observedGeneration: integer,
                  conditions: { type: "array", items: conditionSchema },
                },
              },
            },
          },
        },
      },
    ],
  },
};
