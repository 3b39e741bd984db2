import { throwAll } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import { isMethodNotSupported, isNotFound } from "../../pkg/client/errors.ts";
import type { DeleteOptions, ResourceClient } from "../../pkg/client/resource-client.ts";
import { attempts } from "../../pkg/controller/attempts.ts";
import type { ContentContext } from "./context.ts";
import { type Remainder, remainderOf } from "./remaining.ts";

/** Nothing is to be orphaned: the dependents are in the namespace and go as well. */
const OPTIONS: DeleteOptions = { propagationPolicy: "Background" };

export interface ObjectsToDelete {
  readonly resource: ApiResource;
  readonly namespace: string;
  /** How long they may take to end by themselves. */
  readonly estimateSeconds: number;
}

/** Deletes all objects of one resource in the namespace, and looks what is left. */
export async function deleteObjects(
  context: Pick<ContentContext, "client">,
  { resource, namespace, estimateSeconds }: ObjectsToDelete,
  signal: AbortSignal,
): Promise<Remainder> {
  const client = context.client.metadata(resource);
  if (!(await deleteCollection(client, resource, namespace, signal)))
    await deleteEach(client, resource, namespace, signal);
  const left = await listObjects(client, resource, namespace, signal);
  if (left !== undefined) return remainderOf(resource, left, estimateSeconds);
  // What cannot be listed may still be there for as long as was estimated.
  return { ...remainderOf(resource, [], 0), estimateSeconds };
}

/** False when the server does not do this for the resource. */
async function deleteCollection(
  client: ResourceClient,
  { verbs }: ApiResource,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!verbs.includes("deletecollection")) return false;
  try {
    await client.deleteCollection({ namespace }, OPTIONS, signal);
    return true;
  } catch (error) {
    if (isNotServed(error)) return false;
    throw error;
  }
}

async function deleteEach(
  client: ResourceClient,
  resource: ApiResource,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const { errors, attempt } = attempts(signal);
  for (const { metadata } of (await listObjects(client, resource, namespace, signal)) ?? []) {
    const { name } = metadata;
    await attempt(async () => client.delete({ namespace, name }, OPTIONS, signal));
  }
  throwAll(errors.filter((error) => !isNotServed(error)));
}

interface NamedObject {
  readonly metadata: Pick<Stored["metadata"], "name" | "finalizers">;
}

/** Names and finalizers only. Undefined when the server does not list the resource. */
async function listObjects(
  client: ResourceClient,
  { verbs }: ApiResource,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly NamedObject[] | undefined> {
  if (!verbs.includes("list")) return undefined;
  try {
    const objects: NamedObject[] = [];
    const keep = ({ metadata }: Stored): void => {
      const { name, finalizers = [] } = metadata;
      objects.push({ metadata: { name, finalizers } });
    };
    await client.listEach({ namespace }, keep, signal);
    return objects;
  } catch (error) {
    if (isNotServed(error)) return undefined;
    throw error;
  }
}

/** Not found: the resource has gone since it was discovered, or the object since it was listed. */
function isNotServed(error: unknown): boolean {
  return isMethodNotSupported(error) || isNotFound(error);
}
