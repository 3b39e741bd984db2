import { featureGates } from "../../../pkg/api/feature-gates.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../../pkg/api/resource.ts";
import { resourceOfKind } from "../../../pkg/api/resources.ts";
import { DirectTransport } from "../../../pkg/apiserver/direct-transport.ts";
import { embeddedServer } from "../../../pkg/apiserver/embedded-server.ts";
import { clientBuilder, sharedTransports } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { ControllerSet } from "../../../pkg/controller/controller-set.ts";
import { installCrds } from "../../../pkg/crd/install-crds.ts";
import { openGate } from "../../../pkg/leader/fence.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";
import type { OperatorModule } from "./load-module.ts";
import { type Seen, SeenRequests } from "./seen-requests.ts";

/** Controllers that ask for nothing for so long have come to rest. */
const QUIET_MS = 500;
const LONGEST_MS = 15_000;
const LOOK_MS = 50;
const NOWHERE = { url: "https://localhost/convert" };
/** Retries of a client that could not be told from what is asked for. */
const QPS = 10_000;

/**
 * What the controllers ask of an API server: they run for some seconds in a cluster of this process, where the examples of
 * the module come and go.
 */
export async function observe({ crds, controllers, examples }: OperatorModule): Promise<readonly Seen[]> {
  if (controllers.length === 0) return [];
  const server = embeddedServer({ clock: realClock, random: realRandom });
  const requests = new SeenRequests(new DirectTransport(server));
  const common = {
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    host: "embedded",
    qps: QPS,
    burst: QPS,
  };
  const own = clientBuilder({
    ...common,
    transports: sharedTransports(new DirectTransport(server)),
    userAgent: "kcm",
  });
  const client = own.client("kcm");
  await installCrds(client, crds, { conversionWebhook: NOWHERE });
  const set = new ControllerSet({
    descriptors: controllers,
    clients: clientBuilder({ ...common, transports: sharedTransports(requests), userAgent: "operator" }),
    gate: openGate,
    clock: realClock,
    random: realRandom,
    log: silentLogger,
    metrics: noMetrics,
    features: featureGates(),
    name: "kcm",
  });
  const stop = new AbortController();
  const ended = set.run(stop.signal);
  try {
    await untilQuiet(requests);
    const made: (readonly [Resource, ApiObject])[] = [];
    for (const example of examples) {
      const resource = resourceOf(example, crds);
      made.push([resource, await client.dynamic(resource).create(inNamespace(resource, example))]);
      await untilQuiet(requests);
    }
    for (const [resource, { metadata }] of made) await remove(client, resource, metadata);
    await untilQuiet(requests);
  } finally {
    stop.abort(new Error("enough was seen"));
    await ended;
    await server.close();
  }
  return [...requests.seen.values()];
}

async function untilQuiet(requests: SeenRequests): Promise<void> {
  const endMs = realClock.monotonicMs() + LONGEST_MS;
  let [count, sinceMs] = [-1, 0];
  while (realClock.monotonicMs() < endMs) {
    const nowMs = realClock.monotonicMs();
    if (requests.count !== count) [count, sinceMs] = [requests.count, nowMs];
    else if (nowMs - sinceMs >= QUIET_MS) return;
    await sleep(realClock, LOOK_MS);
  }
}

async function remove(client: ClientSet, resource: Resource, metadata: ApiObject["metadata"]): Promise<void> {
  const { name = "", namespace } = metadata;
  await client.dynamic(resource).delete({ name, ...(namespace !== undefined && { namespace }) });
}

function resourceOf({ apiVersion = "", kind = "" }: ApiObject, crds: readonly Resource[]): Resource {
  const found = crds.find((crd) => apiVersionOf(crd) === apiVersion && crd.kind === kind);
  const resource = found ?? resourceOfKind(apiVersion, kind);
  if (resource === undefined) throw new StartError(`an example is of an unknown kind: ${apiVersion} ${kind}`);
  return resource;
}

function inNamespace(resource: Resource, example: ApiObject): ApiObject {
  if (!resource.namespaced || example.metadata.namespace !== undefined) return example;
  return { ...example, metadata: { ...example.metadata, namespace: "default" } };
}
