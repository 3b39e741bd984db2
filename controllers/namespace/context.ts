import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";

/** All that the deletion of a namespace works with. */
export interface NamespaceContext {
  readonly namespaces: Lister<Namespace>;
  readonly namespaceClient: ResourceClient<Namespace>;
  /** For the contents, whatever they are. */
  readonly client: Pick<ClientSet, "clientFor" | "metadata" | "discovery">;
  readonly clock: Clock;
}
