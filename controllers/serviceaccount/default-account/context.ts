import type { Namespace, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../../pkg/cache/lister.ts";
import type { ResourceClient } from "../../../pkg/client/resource-client.ts";

/** All that a sync of a namespace works with. */
export interface AccountContext {
  readonly namespaces: Lister<Namespace>;
  readonly accounts: Lister<ServiceAccount>;
  readonly client: Pick<ResourceClient<ServiceAccount>, "create">;
}
