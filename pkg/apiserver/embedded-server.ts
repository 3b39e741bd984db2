import { apiVersionOf } from "../api/resource.ts";
import { allResources, resources } from "../api/resources.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { DefinitionSync } from "./crd/definition-sync.ts";
import { definitionRules } from "./crd/definition-rules.ts";
import { serverDocuments } from "./discovery/documents.ts";
import { isServedIn, NEWEST_MINOR } from "./discovery/release.ts";
import { allKinds } from "./kinds/all-kinds.ts";
import { withoutSchedulingGroups } from "./kinds/pod/scheduling-group.ts";
import { DEFAULT_EVENT_TTL_MS, EventExpiry } from "./server/event-expiry.ts";
import { storeReader } from "./admission/cluster-reader.ts";
import { WebhookClient } from "./webhook-client/webhook-client.ts";
import type { WebhookTransport } from "./webhook-client/webhook-transport.ts";
import { ApiServer, type ApiServerOptions, type ServerService } from "./server/api-server.ts";

export interface EmbeddedOptions extends ApiServerOptions {
  readonly log?: Logger;
  /** Stands in for v1.MINOR, as far as /version and the kinds go that are served; the newest when left out. */
  readonly kubernetesMinor?: number;
  /** Versions of groups that are served beside those that every server serves, such as "certificates.k8s.io/v1beta1". */
  readonly runtimeConfig?: readonly string[];
  /** How long Events stay after the last write to them; an hour when left out. */
  readonly eventTtlMs?: number;
  /** How those are reached who convert custom resources; closed with the server. Without it they cannot be. */
  readonly webhooks?: WebhookTransport;
}

/** An API server with all its parts, without a network. */
export function embeddedServer(options: EmbeddedOptions): ApiServer {
  const { kinds: known = allKinds, runtimeConfig = [] } = options;
  const withGroups = runtimeConfig.includes(apiVersionOf(resources.podGroups));
  const kinds = [...(withGroups ? known : known.map(withoutSchedulingGroups)), definitionRules];
  const { kubernetesMinor: minor = NEWEST_MINOR, log = silentLogger } = options;
  const served = allResources().filter((resource) => isServedIn(minor, resource, runtimeConfig));
  const server = new ApiServer({ documents: serverDocuments(minor), served, ...options, kinds });
  const { webhooks } = options;
  const { clock, random, store } = server.parts;
  const client =
    webhooks && new WebhookClient({ reader: storeReader(store), clock, random, transport: webhooks });
  server.addService(new DefinitionSync(server.parts, log, { client, random }));
  const ttlMs = options.eventTtlMs ?? DEFAULT_EVENT_TTL_MS;
  server.addService(new EventExpiry({ ...server.parts, ttlMs, log }));
  if (webhooks !== undefined) server.addService(closing(webhooks));
  return server;
}

function closing(webhooks: WebhookTransport): ServerService {
  return { start: () => undefined, stop: () => webhooks.close(), settled: () => undefined };
}
