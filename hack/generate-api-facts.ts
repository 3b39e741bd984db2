// Writes pkg/api/resources.gen.ts and pkg/api/schema.gen.ts from the discovery and OpenAPI documents of a real
// kube-apiserver (KUBEBUILDER_ASSETS). `--check` writes nothing and fails when a file is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DiscoveryList, renderResourceTable } from "./resource-table.ts";
import { type OpenApiDocument, renderSchemaTable } from "./schema-table.ts";
import { startScratchApiServer } from "./scratch-api-server.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const out = join(import.meta.dirname, "../pkg/api");

const server = await startScratchApiServer();
try {
  const discovery = (await Promise.all([
    server.getJson("/api", aggregated),
    server.getJson("/apis", aggregated),
  ])) as DiscoveryList[];
  const index = (await server.getJson("/openapi/v3")) as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  };
  const paths = Object.entries(index.paths).sort(([a], [b]) => (a < b ? -1 : 1));
  const documents: OpenApiDocument[] = [];
  for (const [, { serverRelativeURL }] of paths) {
    documents.push((await server.getJson(serverRelativeURL)) as OpenApiDocument);
  }
  const files = {
    "resources.gen.ts": renderResourceTable(discovery),
    "schema.gen.ts": renderSchemaTable(documents),
  };
  for (const [name, text] of Object.entries(files)) {
    if (!process.argv.includes("--check")) {
      writeFileSync(join(out, name), text);
    } else if (readFileSync(join(out, name), "utf8") !== text) {
      console.error(`out of date, run node hack/generate-api-facts.ts: pkg/api/${name}`);
      process.exitCode = 1;
    }
  }
} finally {
  await server.stop();
}
