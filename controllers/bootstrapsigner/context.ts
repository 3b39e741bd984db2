import type { ConfigMap, Secret } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** All that signing works with. */
export interface SignerContext {
  readonly configMaps: Lister<ConfigMap>;
  /** Of bootstrap tokens, in their namespace. */
  readonly tokens: Lister<Secret>;
  readonly client: Pick<ResourceClient<ConfigMap>, "update">;
  readonly clock: Clock;
}
