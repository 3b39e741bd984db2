import type { ApiObject } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { ApiError } from "../../../pkg/client/errors.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { NAMESPACE, type World } from "./world.ts";

/** What a user does, as with kubectl. Gives what it was; undefined when there was nothing to do it to. */
export type Operation = (world: World, random: Random) => Promise<string | undefined>;

export const storeOf = (world: World): Store => world.server.parts.store;

export function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[randomBelow(random, from.length)];
}

export async function create<T extends ApiObject>(
  world: World,
  resource: TypedResource<T>,
  object: T,
): Promise<string> {
  return tolerantly(object, async () => {
    const metadata = { namespace: NAMESPACE, ...object.metadata };
    await world.user.clientFor(resource).create({ ...object, metadata });
  });
}

export async function remove<T extends ApiObject>(
  world: World,
  resource: TypedResource<T>,
  object: T | undefined,
  random: Random,
): Promise<string | undefined> {
  if (object === undefined) return undefined;
  const policies = ["Background", "Background", "Foreground", "Orphan"] as const;
  const propagationPolicy = pick(random, policies) ?? "Background";
  const name = await tolerantly(object, async (ref) => {
    await world.user.clientFor(resource).delete(ref, { propagationPolicy });
  });
  return `${name} ${propagationPolicy}`;
}

export async function patch<T extends ApiObject>(
  world: World,
  resource: TypedResource<T>,
  object: T,
  body: unknown,
): Promise<string> {
  return tolerantly(object, async (ref) => {
    await world.user.clientFor(resource).patch(ref, { type: "merge", body });
  });
}

export async function patchPodStatus(world: World, pod: Pod, body: unknown): Promise<string> {
  return tolerantly(pod, async (ref) => {
    await world.user.clientFor(resources.pods).patchSubresource(ref, "status", { type: "merge", body });
  });
}

/** A user who comes too late, or asks for what cannot be, is told so; nothing else happens. */
export async function tolerantly(
  { metadata }: ApiObject,
  write: (ref: { readonly namespace?: string; readonly name: string }) => Promise<void>,
): Promise<string> {
  const { namespace, name = "" } = metadata;
  try {
    await write(namespace === undefined ? { name } : { namespace, name });
    return name;
  } catch (error) {
    if (error instanceof ApiError) return `${name} (refused: ${error.reason})`;
    throw error;
  }
}
