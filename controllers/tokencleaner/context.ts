import type { Secret } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** All that the clean-up of a token works with. */
export interface CleanerContext {
  /** Of bootstrap tokens, in their namespace. */
  readonly tokens: Lister<Secret>;
  readonly client: Pick<ResourceClient<Secret>, "delete">;
  readonly clock: Clock;
}
