import type { ApiObject } from "../../../pkg/api/object.ts";
import { defineCrd } from "../../../pkg/crd/define-crd.ts";

/** What all operators of the bench keep one ConfigMap for. */
export const Page = defineCrd({
  group: "bench.example.com",
  version: "v1",
  kind: "Page",
  scope: "Namespaced",
  spec: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
});

export const NAMESPACE = "bench";

export const pages = (count: number): readonly ApiObject[] =>
  Array.from({ length: count }, (_, index) =>
    Page.object({
      metadata: { name: `page-${index}`, namespace: NAMESPACE },
      spec: { text: `<h1>Page ${index}</h1>` },
    }),
  );
