import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Counter } from "../../pkg/metrics/metrics.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";

/** All that a round of the pod garbage collector works with. */
export interface PodGcContext {
  readonly pods: Lister<Pod>;
  readonly nodes: Lister<Node>;
  readonly podClient: Pick<ResourceClient<Pod>, "patch" | "delete">;
  readonly nodeClient: Pick<ResourceClient<Node>, "get">;
  /** Names of nodes that pods are bound to and the cache does not have. They are ready when their time is up. */
  readonly quarantine: WorkQueue<string>;
  readonly threshold: number;
  readonly deletions: Counter;
  readonly failures: Counter;
  readonly clock: Clock;
  readonly log: Logger;
}
