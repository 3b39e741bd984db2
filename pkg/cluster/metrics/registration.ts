import type { ApiObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { APIService } from "../../api/types/apiregistration-v1.gen.ts";
import type { ClusterRole } from "../../api/types/rbac-v1.gen.ts";
import { isAlreadyExists } from "../../client/errors.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { wired } from "../../controller/kit.ts";
import { METRICS_GROUP, METRICS_VERSION } from "./metrics-api.ts";

const labels = { "k8s-app": "metrics-server" };
const aggregations = ["admin", "edit", "view"].map(
  (role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"] as const,
);

/** Who may look at a namespace may see what its pods use. */
const readers: ClusterRole = {
  metadata: {
    name: "system:aggregated-metrics-reader",
    labels: { ...labels, ...Object.fromEntries(aggregations) },
  },
  rules: [{ apiGroups: [METRICS_GROUP], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] }],
};

const service: APIService = {
  metadata: { name: `${METRICS_VERSION}.${METRICS_GROUP}`, labels },
  spec: {
    group: METRICS_GROUP,
    version: METRICS_VERSION,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { name: "metrics-server", namespace: "kube-system", port: 443 },
  },
};

/** Makes, once, what an installation of a metrics-server leaves in a cluster. The group itself is served in any case. */
export function metricsRegistration(): ControllerDescriptor {
  return {
    name: "hollow-metrics",
    clientName: "hollow-metrics",
    build: wired((kit) => {
      const { client, clock } = kit.env;
      const queue = kit.queue({
        name: "registration",
        unmeasured: true,
        workers: 1,
        sync: async ({ signal }) => {
          await create(client.clientFor<ClusterRole>(resources.clusterRoles), readers, signal);
          const services = client.clientFor<APIService>(resources.apiServices);
          const created = await create(services, service, signal);
          if (created === undefined) return {};
          const condition = {
            type: "Available",
            status: "True",
            reason: "Passed",
            message: "all checks passed",
            lastTransitionTime: formatTime(clock.nowMs()),
          };
          await services.updateStatus({ ...created, status: { conditions: [condition] } }, {}, signal);
          return {};
        },
      });
      queue.work.add(service.metadata.name ?? "");
    }),
  };
}

/** Undefined when it is there already. */
async function create<T extends ApiObject>(
  client: Pick<ResourceClient<T>, "create">,
  object: T,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.create(object, {}, signal);
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
