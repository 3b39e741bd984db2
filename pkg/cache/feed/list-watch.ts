import type { ApiObject, ListMeta, Stored, WatchEvent } from "../../api/object.ts";
import type { WantedFields } from "../../api/protobuf/message-plan.ts";
import type { ListOptions, ResourceClient, Selectors, WatchOptions } from "../../client/resource-client.ts";

/** Where a reflector gets its objects from. Every failure rejects; an abort rejects with the signal's reason. */
export interface ListWatch<T> {
  listEach(options: ListOptions, onItem: (item: T) => void, signal?: AbortSignal): Promise<ListMeta>;
  watch(options: WatchOptions, signal?: AbortSignal): AsyncIterable<WatchEvent<T>>;
}

/** What part of a resource is asked for; all of it when nothing is given. */
export interface Scope extends Selectors {
  readonly namespace?: string;
}

/** The client of a resource, narrowed to a scope, and watches to the fields that are read. */
export function scopedListWatch<T extends ApiObject>(
  client: Pick<ResourceClient<T>, "listEach" | "watch">,
  scope: Scope,
  fieldsOf: () => WantedFields | undefined = () => undefined,
): ListWatch<Stored<T>> {
  return {
    listEach: async (options, onItem, signal) => client.listEach({ ...options, ...scope }, onItem, signal),
    watch: (options, signal) => {
      const fields = fieldsOf();
      return client.watch({ ...options, ...scope, ...(fields !== undefined && { fields }) }, signal);
    },
  };
}
