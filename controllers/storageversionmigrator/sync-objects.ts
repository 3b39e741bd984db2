import type { ApiResource } from "../../pkg/client/discovery-documents.ts";
import {
  ApiError,
  isConflict,
  isExpired,
  isInternalError,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
} from "../../pkg/client/errors.ts";
import type { MigratorContext } from "./context.ts";
import type { ListedObject, ObjectsLeft } from "./objects-left.ts";

const PAGE_SIZE = 500;
const FIELD_MANAGER = "storage-version-migrator-controller";

/** Lists all objects, and gives the version of the list. They are listed live: a cache may be as old as it likes. */
export async function listObjects(
  { client }: MigratorContext,
  resource: ApiResource,
  left: ObjectsLeft,
  signal: AbortSignal,
): Promise<string> {
  const objects = client.metadata(resource);
  const take: Parameters<typeof objects.listEach>[1] = (object) => left.add(object);
  let meta = await objects.listEach({ limit: PAGE_SIZE }, take, signal);
  while (meta.continue) {
    try {
      meta = await objects.listEach({ limit: PAGE_SIZE, continue: meta.continue }, take, signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      left.clear();
      meta = await objects.listEach({}, take, signal);
    }
  }
  return meta.resourceVersion ?? "";
}

/**
 * Applies nothing to the object, so that the server stores it anew if it is stored otherwise than it would be today. Whoever
 * has changed, removed or replaced it meanwhile has spared us that: uid and version see to it that nothing is made anew.
 */
export async function rewrite(
  { client }: MigratorContext,
  resource: ApiResource,
  { namespace, name, uid, resourceVersion }: ListedObject,
  signal: AbortSignal,
): Promise<void> {
  const metadata = { ...(namespace !== undefined && { namespace }), name, uid, resourceVersion };
  const objectClient = client.metadata(resource);
  try {
    await objectClient.apply({ metadata }, { fieldManager: FIELD_MANAGER }, signal);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

const PASSING = [
  isServerTimeout,
  isTooManyRequests,
  isServiceUnavailable,
  isInternalError,
  isTimeout,
] as const;

/** Whether the server has refused the object for good: without an answer, or when it is busy, it has not. */
export function isLasting(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 0 && !PASSING.some((is) => is(error));
}
