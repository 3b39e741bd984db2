import { PerOwner } from "../../pkg/api/per-owner.ts";
import { CLASS_FIELDS, type Devices, devicesOf } from "../../pkg/api/quota/devices.ts";
import { DEVICE_CLAIM_FIELDS, POD_FIELDS } from "../../pkg/api/quota/fields.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { KeyQueue } from "../../pkg/controller/key-queue.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import type { Monitors } from "../../pkg/controller/monitors.ts";
import { OnePerValue } from "../../pkg/controller/one-per-value.ts";
import { measured } from "./measured.ts";
import { Pause } from "./pause.ts";
import type { Room } from "./room.ts";

/** All that the syncs of quotas work with. */
export interface QuotaContext extends ReturnType<typeof quotaContext> {
  readonly primary: KeyQueue;
  /** Of quotas whose usage is not known at all. */
  readonly urgent: KeyQueue;
  readonly changes: KeyQueue<Room>;
  /** Of the resources whose objects are counted, and whose changes wake the quotas of their namespace. */
  readonly monitors: Monitors;
}

export function quotaContext(kit: Kit) {
  const classes = kit.reads(resources.deviceClasses, { fields: CLASS_FIELDS, resyncMs: 0 });
  // Before any informer runs: what is read of the objects must be known by then.
  for (const { resource, fields } of measured) kit.reads(resource, { fields });
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  const claims = kit.reads(resources.resourceClaims, { fields: DEVICE_CLAIM_FIELDS });
  return {
    /** Whole, as they are written back. */
    quotas: kit.reads(resources.resourceQuotas, { resyncMs: 0 }),
    classes,
    writes: kit.writes(resources.resourceQuotas),
    /** What is known of devices; undefined while the classes of devices are not known. */
    devices: (): Devices | undefined =>
      classes.synced.hasSynced()
        ? devicesOf({
            classes: classes.lister.list(),
            podNamed: (namespace, name) => pods.lister.get(namespace, name),
            claimsIn: (namespace) => claims.lister.inNamespace(namespace),
          })
        : undefined,
    /**
     * Quotas of which less may be used than their status says. Without a reason to think so, a lower count means that the
     * cache lags behind the API server, which counts what it admits.
     */
    mayUseLess: new PerOwner<true>(),
    /**
     * When less was last written for a quota than its status said, on the monotonic clock. What the API server had
     * admitted by then, and the cache had not seen, is missing in that count.
     */
    loweredMs: new PerOwner<number>(),
    rooms: new OnePerValue<Room>(),
    pause: new Pause(),
    clock: kit.env.clock,
  };
}
