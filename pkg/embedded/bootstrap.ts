import { keyOf } from "../api/object.ts";
import { resourceOfKind, resources } from "../api/resources.ts";
import type { Service } from "../api/types/core-v1.gen.ts";
import type { ClientSet } from "../client/client-set.ts";
import { isAlreadyExists } from "../client/errors.ts";
import { bootstrapObjects } from "./auth/bootstrap-objects.ts";

/** First address of the service range, as the API server reserves it for itself. */
const KUBERNETES_SERVICE_IP = "10.96.0.1";

/**
 * Creates what every cluster has. What is there already stays as its users left it, but for the port of the Service
 * that leads to this server.
 */
export async function createBootstrapObjects(client: ClientSet, port: number): Promise<void> {
  for (const object of bootstrapObjects({ clusterIp: KUBERNETES_SERVICE_IP, port })) {
    const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
    if (resource === undefined) throw new Error(`${keyOf(object)}: there is no kind ${object.kind ?? ""}`);
    try {
      await client.dynamic(resource).create(object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (resource.plural === resources.services.plural) await redirect(client, object);
    }
  }
}

async function redirect(client: ClientSet, { metadata, spec }: Service): Promise<void> {
  const ref = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
  const body = { spec: { ports: spec?.ports } };
  await client.clientFor<Service>(resources.services).patch(ref, { type: "merge", body });
}
