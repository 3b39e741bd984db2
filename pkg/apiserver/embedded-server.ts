import { allResources } from "../api/resources.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { DefinitionSync } from "./crd/definition-sync.ts";
import { definitionRules } from "./crd/definition-rules.ts";
import { serverDocuments } from "./discovery/documents.ts";
import { isServedIn, NEWEST_MINOR } from "./discovery/release.ts";
import { allKinds } from "./kinds/all-kinds.ts";
import { ApiServer, type ApiServerOptions } from "./server/api-server.ts";

export interface EmbeddedOptions extends ApiServerOptions {
  readonly log?: Logger;
  /** Stands in for v1.MINOR, as far as /version and the kinds go that are served; the newest when left out. */
  readonly kubernetesMinor?: number;
}

/** An API server with all its parts, without a network. */
export function embeddedServer(options: EmbeddedOptions): ApiServer {
  const kinds = [...(options.kinds ?? allKinds), definitionRules];
  const { kubernetesMinor: minor = NEWEST_MINOR } = options;
  const served = allResources().filter((resource) => isServedIn(minor, resource));
  const server = new ApiServer({ documents: serverDocuments(minor), served, ...options, kinds });
  server.addService(new DefinitionSync(server.parts, options.log ?? silentLogger));
  return server;
}
