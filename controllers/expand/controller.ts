import { keyOf } from "../../pkg/api/object.ts";
import { storageOf } from "../../pkg/api/volumes/claim-resize.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { expandContext } from "./context.ts";
import type { CachedClaim } from "./expansion.ts";
import { syncClaim } from "./sync.ts";

const WORKERS = 10;

/** Tells who is to make volumes larger whose claims ask for that: nearly always a CSI driver. */
export const volumeExpanderController = defineController(
  {
    name: "persistentvolume-expander-controller",
    clientName: "expand-controller",
    eventSource: "volume_expand",
  },
  (kit) => {
    const context = expandContext(kit);
    kit.ownerQueue({
      name: "volume_expand",
      workers: WORKERS,
      owners: context.claims,
      wakes: grows,
      sync: async (sync) => syncClaim(sync, context),
    });
  },
);

/** Bound claims wake themselves that ask for more than before, or have got more: nodes may be done then. */
export const grows: WakeRule<CachedClaim> = (change, wake) => {
  const { object } = change;
  if (change.type === "deleted" || object.status?.phase !== "Bound") return;
  if (change.type === "updated") {
    const { before } = change;
    const asked = storageOf(object.spec?.resources?.requests).compare(
      storageOf(before.spec?.resources?.requests),
    );
    const has = storageOf(object.status.capacity).compare(storageOf(before.status?.capacity));
    if (asked <= 0 && has <= 0) return;
  }
  wake(keyOf(object));
};
