import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { CLUSTER_INFO } from "./cluster-info.ts";

const KEY = keyOf({ metadata: CLUSTER_INFO });

/** There is one thing to do, so there is one key: many changes at once become one sync. */
export function theClusterInfo(_change: Change<ApiObject>, wake: Wake): void {
  wake(KEY);
}
