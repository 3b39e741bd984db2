import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import type { OwnerSync, Sync } from "../../pkg/controller/sync.ts";
import { SyncRun } from "../../pkg/controller/sync-run.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { asStored } from "./stored.ts";

/** What a worker gives a sync: of this key, for no reason, with nobody who ends it. */
export function syncOf<K>(key: K): Sync<K> {
  const { signal } = new AbortController();
  return new SyncRun({ key, reasons: [], log: silentLogger, signal, noted: false });
}

export function ownerSyncOf<T extends ApiObject>(owner: T): OwnerSync<T> {
  return Object.assign(syncOf(keyOf(owner)), { owner: asStored(owner) });
}
