import { type Logger, silentLogger } from "../log/logger.ts";
import { DefinitionSync } from "./crd/definition-sync.ts";
import { definitionRules } from "./crd/definition-rules.ts";
import { serverDocuments } from "./discovery/documents.ts";
import { allKinds } from "./kinds/all-kinds.ts";
import { ApiServer, type ApiServerOptions } from "./server/api-server.ts";

export interface EmbeddedOptions extends ApiServerOptions {
  readonly log?: Logger;
}

/** An API server with all its parts, without a network. */
export function embeddedServer(options: EmbeddedOptions): ApiServer {
  const kinds = [...(options.kinds ?? allKinds), definitionRules];
  const server = new ApiServer({ documents: serverDocuments(), ...options, kinds });
  server.addService(new DefinitionSync(server.parts, options.log ?? silentLogger));
  return server;
}
