import type { ObjectRef } from "../api/object.ts";
import type { DeleteOptions } from "../client/resource-client.ts";
import { isGone } from "./read-live.ts";

/** Whoever may delete objects of one resource. */
interface Deleter {
  delete(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<unknown>;
}

/** The metadata of an object that was read, or what was kept of it. */
export interface This {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/** Deletes this very object, and not another that has taken its name. That it is gone already is as good. */
export async function deleteThis(
  client: Deleter,
  { namespace, name, uid }: This,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ ...(namespace && { namespace }), name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
