import { defineCrd } from "./define-crd.ts";
import type { ObjectOf } from "./crd.ts";

/** Pages that are served by so many pods. */
export const Website = defineCrd({
  group: "example.com",
  version: "v1",
  kind: "Website",
  scope: "Namespaced",
  spec: {
    type: "object",
    required: ["host"],
    properties: {
      host: { type: "string", minLength: 1, maxLength: 253 },
      replicas: { type: "integer", minimum: 0, maximum: 10, default: 2 },
      theme: { type: "string", enum: ["light", "dark"] },
    },
  },
  status: { type: "object", properties: { readyReplicas: { type: "integer" } } },
  rules: [{ rule: "self.spec.host != 'localhost'", message: "nobody finds localhost" }],
  printerColumns: [{ name: "Host", type: "string", jsonPath: ".spec.host" }],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.readyReplicas" },
});
export type Website = ObjectOf<typeof Website>;
