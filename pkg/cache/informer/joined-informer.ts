import { smallest } from "../../api/extremes.ts";
import type { LabelSelector } from "../../api/labels.ts";
import { type PartialObject, splitKey, type Stored } from "../../api/object.ts";
import type { Lister } from "../store/lister.ts";
import type {
  EventHandler,
  HandlerOptions,
  HandlerRegistration,
  IndexFunction,
  SharedInformer,
} from "./informer.ts";

/** The objects of some namespaces, each of which is read on its own, as whoever may not read all of them has to. */
export class JoinedInformer<T extends PartialObject> implements SharedInformer<T> {
  readonly lister: Lister<T>;
  readonly #parts: ReadonlyMap<string, SharedInformer<T>>;

  /** By namespace. */
  constructor(parts: ReadonlyMap<string, SharedInformer<T>>) {
    this.#parts = parts;
    const all = (look: (lister: Lister<T>) => readonly Stored<T>[]): readonly Stored<T>[] =>
      [...parts.values()].flatMap(({ lister }) => look(lister));
    this.lister = {
      get: (namespace = "", name) => parts.get(namespace)?.lister.get(namespace, name),
      getByKey: (key) => parts.get(splitKey(key).namespace ?? "")?.lister.getByKey(key),
      list: (selector?: LabelSelector) => all((lister) => lister.list(selector)),
      inNamespace: (namespace, selector?: LabelSelector) =>
        namespace === ""
          ? all((lister) => lister.list(selector))
          : (parts.get(namespace)?.lister.inNamespace(namespace, selector) ?? []),
      byIndex: (index, value) => all((lister) => lister.byIndex(index, value)),
    };
  }

  addHandler(handler: EventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    const registrations = [...this.#parts.values()].map((part) => part.addHandler(handler, options));
    return {
      hasSynced: () => registrations.every((each) => each.hasSynced()),
      whenSynced: async (signal) => allSynced(registrations, signal),
      remove: () => {
        for (const each of registrations) each.remove();
      },
    };
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    for (const part of this.#parts.values()) part.addIndex(name, index);
  }

  hasSynced(): boolean {
    return [...this.#parts.values()].every((part) => part.hasSynced());
  }

  async whenSynced(signal: AbortSignal): Promise<boolean> {
    return allSynced([...this.#parts.values()], signal);
  }

  async listLive(onItem: (item: Stored<T>) => void, signal: AbortSignal): Promise<void> {
    for (const part of this.#parts.values()) await part.listLive(onItem, signal);
  }

  /** Each namespace is as far as its own watch: of all of them together nothing can be said. */
  lastSyncResourceVersion(namespace = ""): string {
    return this.#parts.get(namespace)?.lastSyncResourceVersion(namespace) ?? "";
  }

  silentSinceMs(): number {
    return smallest([...this.#parts.values()].map((part) => part.silentSinceMs())) ?? Infinity;
  }
}

async function allSynced(
  parts: readonly Pick<HandlerRegistration, "whenSynced">[],
  signal: AbortSignal,
): Promise<boolean> {
  const synced = await Promise.all(parts.map(async (part) => part.whenSynced(signal)));
  return synced.every(Boolean);
}
