import type { Scenario } from "../scenario.ts";
import { create, pod, replicaSet, template } from "./objects.ts";

const on = (node: string): { readonly nodeSelector: Readonly<Record<string, string>> } => ({
  nodeSelector: { "kubernetes.io/hostname": node },
});

/** Pods that only the pod garbage collector ends. Each takes a node of its own. */
export const podGarbage: readonly Scenario[] = [
  {
    name: "node-lost",
    alone: true,
    steps: [
      create(replicaSet("web", 2, template("app:v1", on("node-0")))),
      { do: "until", target: "replicaSets/web", holds: { "status.readyReplicas": 2 } },
      { do: "delete", target: "nodes/node-0" },
      { do: "until", target: "replicaSets/web", holds: { "status.readyReplicas": undefined } },
      { do: "until pods", pods: { ready: false }, are: 2 },
    ],
  },
  {
    name: "node-out-of-service",
    alone: true,
    steps: [
      create(pod("stuck", { ...on("node-1"), terminationGracePeriodSeconds: 3_600 })),
      {
        do: "patch pods",
        pods: {},
        body: { metadata: { annotations: { "kcm.dev/stops-after": "3600" } } },
      },
      { do: "until pods", pods: { ready: true }, are: 1 },
      { do: "delete pods", pods: {} },
      // A kubelet that lives would say that the node is ready.
      {
        do: "patch",
        target: "nodes/node-1",
        body: { metadata: { annotations: { "kcm.dev/fails": "silent" } } },
      },
      {
        do: "patch",
        target: "nodes/node-1",
        subresource: "status",
        body: { status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] } },
      },
      {
        do: "patch",
        target: "nodes/node-1",
        body: { spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] } },
      },
      { do: "until pods", pods: {}, are: 0 },
    ],
  },
  {
    name: "too-many-terminated-pods",
    alone: true,
    steps: [
      ...["a", "b", "c", "d"].map((name) =>
        create(
          pod(name, {
            ...on("node-2"),
            restartPolicy: "Never",
            containers: [{ name: "main", image: "app:v1", command: ["true"] }],
          }),
        ),
      ),
      { do: "until pods", pods: {}, are: 2 },
    ],
  },
];
