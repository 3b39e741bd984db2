import { conditionsSchema } from "../../../pkg/controller/index.ts";
import type { ObjectOf } from "../../../pkg/crd/crd.ts";
import { defineCrd } from "../../../pkg/crd/define-crd.ts";

const text = { type: "string" } as const;
const count = { type: "integer", minimum: 0 } as const;

/** Pages that are served by as many pods as are asked for, in the styles of a ConfigMap if there is one. */
export const Website = defineCrd({
  group: "example.com",
  version: "v1",
  kind: "Website",
  scope: "Namespaced",
  spec: {
    type: "object",
    required: ["page", "replicas"],
    properties: { page: text, replicas: count, theme: text },
  },
  status: {
    type: "object",
    properties: { readyReplicas: count, observedGeneration: count, conditions: conditionsSchema },
  },
});
export type Website = ObjectOf<typeof Website>;
