import type { ApiObject, ObjectRef, Stored } from "../api/object.ts";
import { groupResource, type TypedResource } from "../api/resource.ts";
import { sleep, withDeadline } from "../clock/wait.ts";
import { isJson } from "../api/json.ts";
import type { ClientSet } from "./client-set.ts";
import { isConnectionError, isExpired, isTimeout } from "./errors.ts";

/** Whether it has come; undefined stands for an object that is not there. */
export type Condition<T> = (object: T | undefined) => boolean;

export interface Target<T extends ApiObject> {
  readonly resource: TypedResource<T>;
  readonly ref: ObjectRef;
  readonly until: Condition<Stored<T>>;
}

export interface WaitOptions {
  /** Rejects with a DeadlineError after so long; for ever when left out. */
  readonly timeoutMs?: number;
}

const RETRY_MS = 500;

/** A condition by its type, as `kubectl wait --for=condition=Ready`; its status is to be "True" unless said otherwise. */
export function conditionIs(type: string, status = "True"): Condition<ApiObject> {
  return (object) => {
    const current = object !== undefined && "status" in object ? object.status : undefined;
    const conditions = isJson(current) ? current["conditions"] : undefined;
    if (!Array.isArray(conditions)) return false;
    return conditions.some((each) => isJson(each) && each["type"] === type && each["status"] === status);
  };
}

export const deleted: Condition<ApiObject> = (object) => object === undefined;

/**
 * Looks at an object until the condition has come, and resolves to the object; undefined if it is not there. It watches
 * rather than asks again and again, and goes on when a watch ends or breaks.
 */
export async function waitFor<T extends ApiObject>(
  clients: Pick<ClientSet, "clientFor" | "rest">,
  target: Target<T>,
  { timeoutMs }: WaitOptions = {},
  signal?: AbortSignal,
): Promise<Stored<T> | undefined> {
  const { clock } = clients.rest;
  const wait = async (limited?: AbortSignal): Promise<Stored<T> | undefined> =>
    watchUntil(clients, target, limited);
  if (timeoutMs === undefined) return wait(signal);
  const what = `waiting for ${groupResource(target.resource)} ${target.ref.name}`;
  return withDeadline(clock, { limitMs: timeoutMs, what }, wait, signal);
}

async function watchUntil<T extends ApiObject>(
  clients: Pick<ClientSet, "clientFor" | "rest">,
  target: Target<T>,
  signal: AbortSignal | undefined,
): Promise<Stored<T> | undefined> {
  for (;;) {
    const looked = await lookOnce(clients, target, signal);
    if (looked.has) return looked.object;
    await sleep(clients.rest.clock, RETRY_MS, signal);
  }
}

type Look<T> = { readonly has: true; readonly object: T | undefined } | { readonly has: false };

/** From what is there now to the end of one watch. */
async function lookOnce<T extends ApiObject>(
  { clientFor }: Pick<ClientSet, "clientFor">,
  { resource, ref, until }: Target<T>,
  signal: AbortSignal | undefined,
): Promise<Look<Stored<T>>> {
  const client = clientFor(resource);
  const only = {
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    fieldSelector: `metadata.name=${ref.name}`,
  };
  try {
    const { items, metadata } = await client.list(only, signal);
    if (until(items[0])) return { has: true, object: items[0] };
    const { resourceVersion } = metadata;
    const from = { ...only, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    for await (const { type, object } of client.watch(from, signal)) {
      if (type === "BOOKMARK") continue;
      const now = type === "DELETED" ? undefined : object;
      if (until(now)) return { has: true, object: now };
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!isConnectionError(error) && !isExpired(error) && !isTimeout(error)) throw error;
  }
  return { has: false };
}
