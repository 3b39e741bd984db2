import type { Devices } from "../../pkg/api/quota/devices.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Monitors } from "../../pkg/controller/monitors.ts";

/** All that the syncs of quotas work with. */
export interface QuotaContext {
  readonly quotas: Lister<ResourceQuota>;
  readonly client: Pick<ResourceClient<ResourceQuota>, "updateStatus">;
  /** Of the resources whose objects are counted, and whose changes wake the quotas of their namespace. */
  readonly monitors: Pick<Monitors, "all">;
  /** What is known of devices; undefined while the classes of devices are not known. */
  readonly devices: () => Devices | undefined;
  /**
   * Keys of quotas of which less may be used than their status says. Without a reason to think so, a lower count means
   * that the cache lags behind the API server, which counts what it admits.
   */
  readonly mayUseLess: Set<string>;
  /**
   * When less was last written for a quota than its status said, by key, on the monotonic clock. What the API server had
   * admitted by then, and the cache had not seen, is missing in that count.
   */
  readonly loweredMs: Map<string, number>;
  readonly clock: Clock;
}
