import type { ApiObject } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import { componentStatusKind } from "../apiserver/kinds/core/component-status.ts";
import type { ComputedResource } from "../apiserver/server/computed-resource.ts";

/** What of a control plane runs in this process. The storage always does: it is asked through itself. */
export interface RunningComponents {
  readonly scheduler: boolean;
  readonly controllers: boolean;
}

/** The old way to ask how the control plane is. */
export function componentStatuses({ scheduler, controllers }: RunningComponents): ComputedResource {
  const statuses = [
    statusOf("scheduler", scheduler),
    statusOf("controller-manager", controllers),
    statusOf("etcd-0", true),
  ];
  return {
    resource: resources.componentStatuses,
    singular: "componentstatus",
    columns: componentStatusKind.columns,
    openApi: {},
    list: () => statuses,
    get: (_namespace, name) => statuses.find(({ metadata }) => metadata.name === name),
  };
}

function statusOf(name: string, isHealthy: boolean): ApiObject {
  const message = isHealthy ? "ok" : "it does not run in this process";
  const conditions = [{ type: "Healthy", status: isHealthy ? "True" : "False", message }];
  const status: ApiObject & { readonly conditions: unknown } = {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions,
  };
  return Object.freeze(status);
}
