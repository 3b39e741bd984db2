import type { ConfigMap, Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { Env } from "../../../pkg/controller/env.ts";

/** All that a round works with. */
export interface CleanerContext {
  readonly accounts: Lister<ServiceAccount>;
  /** Of Secrets that hold tokens, and no others. */
  readonly secrets: Lister<Secret>;
  readonly informers: Env["informers"];
  readonly secretClient: Pick<ResourceClient<Secret>, "patch" | "delete">;
  readonly configMapClient: Pick<ResourceClient<ConfigMap>, "get">;
  readonly periodMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}
