import type { ConfigMap } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Counter, Histogram } from "../../pkg/metrics/metrics.ts";

/** All that a sync of a namespace works with. */
export interface PublisherContext {
  readonly configMaps: Lister<ConfigMap>;
  readonly client: Pick<ResourceClient<ConfigMap>, "create" | "update">;
  /** In PEM. */
  readonly rootCa: string;
  readonly clock: Clock;
  readonly syncs: Counter;
  readonly durations: Histogram;
}
