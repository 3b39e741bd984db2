import type { ApiObject } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import type { HandlerRegistration, SharedInformer } from "../../pkg/cache/informer.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { Discovery } from "../../pkg/client/discovery.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Env } from "../../pkg/reconcile/env.ts";

/** A resource whose objects are counted, and whose changes wake the quotas of their namespace. */
export interface Monitor {
  readonly resource: Resource;
  readonly informer: SharedInformer<ApiObject>;
  readonly registration: HandlerRegistration;
}

/** All that the syncs of quotas and of the monitors work with. */
export interface QuotaContext {
  readonly quotas: Lister<ResourceQuota>;
  readonly client: Pick<ResourceClient<ResourceQuota>, "updateStatus">;
  readonly discovery: Discovery;
  readonly informers: Env["informers"];
  /** Informers of objects that use more than their number, by monitor key: they were asked for at the start. */
  readonly measured: ReadonlyMap<string, SharedInformer<ApiObject>>;
  /** By monitor key. */
  readonly monitors: Map<string, Monitor>;
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
  readonly log: Logger;
}
