import type { ApiObject } from "../../../pkg/api/object.ts";
import type { NodeStatus, Pod, Volume } from "../../../pkg/api/types/core-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create } from "./objects.ts";

const DRIVER = "csi.example.com";
const FINALIZER = "external-attacher/csi-example-com";
const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";
const RWO = ["ReadWriteOnce"];
const RWX = ["ReadWriteMany"];

function status(node: string, body: NodeStatus): Step {
  return { do: "patch", target: `nodes/${node}`, body: { status: body }, subresource: "status" };
}

const ready = (isReady: boolean): NodeStatus => ({
  conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }],
});

const node = (name: string): readonly Step[] => [
  create({ apiVersion: "v1", kind: "Node", metadata: { name, annotations: { [MANAGED]: "true" } } }),
  status(name, ready(true)),
];

/** Its pods go at once when they are deleted: no kubelet looks after them. */
function podWith(name: string, nodeName: string, volumes: readonly Volume[]): Step {
  const containers = [{ name: "main", image: "none" }];
  const spec = { nodeName, volumes, containers, terminationGracePeriodSeconds: 0 };
  const pod: Pod & ApiObject = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
  return create(pod);
}

const pod = (name: string, nodeName: string, ...claims: readonly string[]): Step =>
  podWith(
    name,
    nodeName,
    claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  );

const attached = (name: string): readonly Step[] => [
  { do: "until attachments", node: name, are: 1 },
  { do: "patch attachments", node: name, body: { status: { attached: true } }, subresource: "status" },
  reported(name),
];

const reported = (name: string): Step => ({
  do: "until present",
  target: `nodes/${name}`,
  path: "status.volumesAttached.0",
});

const detached = (name: string): readonly Step[] => [
  { do: "until attachments", node: name, are: 0 },
  { do: "until", target: `nodes/${name}`, holds: { "status.volumesAttached": undefined } },
];

const gone = (name: string): readonly Step[] => [
  { do: "delete", target: `pods/${name}` },
  { do: "until gone", target: `pods/${name}` },
];

/** Handles are of the scenario, as its nodes are. */
function volume(scenario: string, name: string, accessModes: readonly string[], more: object = {}): Step {
  const source = { csi: { driver: DRIVER, volumeHandle: `${scenario}-${name}` } };
  return { do: "create volume", name, source, accessModes, ...more };
}

const uses = (scenario: string, nodeName: string, ...names: readonly string[]): Step =>
  status(nodeName, { volumesInUse: names.map((name) => `kubernetes.io/csi/${DRIVER}^${scenario}-${name}`) });

const outOfService: Step = {
  do: "patch",
  target: "nodes/.1",
  body: { spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] } },
};

const failed: Step = {
  do: "patch attachments",
  node: ".1",
  body: { status: { attached: false, attachError: { message: "no room" } } },
  subresource: "status",
};

const hold = (finalizers: readonly string[]): Step => ({
  do: "patch attachments",
  node: ".1",
  body: { metadata: { finalizers } },
});

type Steps = (name: string) => readonly Step[];

const all: Readonly<Record<string, Steps>> = {
  "attached-and-detached": (name) => [
    ...node(".1"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    ...gone("a"),
    ...detached(".1"),
  ],
  "attached-to-two-nodes": (name) => [
    ...node(".1"),
    ...node(".2"),
    volume(name, "data", RWX),
    pod("a", ".1", "data"),
    ...attached(".1"),
    pod("b", ".2", "data"),
    ...attached(".2"),
    ...gone("a"),
    ...detached(".1"),
  ],
  "attached-to-one-of-two-nodes": (name) => [
    ...node(".1"),
    ...node(".2"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    uses(name, ".1", "data"),
    pod("b", ".2", "data"),
    uses(name, ".1"),
    ...gone("a"),
    ...detached(".1"),
    ...attached(".2"),
  ],
  "attached-elsewhere-when-the-node-lets-go": (name) => [
    ...node(".1"),
    ...node(".2"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    uses(name, ".1", "data"),
    ...gone("a"),
    pod("b", ".2", "data"),
    uses(name, ".1"),
    ...detached(".1"),
    ...attached(".2"),
  ],
  "attached-after-failures": (name) => [
    ...node(".1"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    { do: "until attachments", node: ".1", are: 1 },
    failed,
    {
      do: "patch attachments",
      node: ".1",
      body: { status: { attached: true, attachError: null } },
      subresource: "status",
    },
    reported(".1"),
  ],
  "detached-from-a-node-out-of-service": (name) => [
    ...node(".1"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    uses(name, ".1", "data"),
    ...gone("a"),
    outOfService,
    ...detached(".1"),
  ],
  "detached-when-the-pod-has-ended": (name) => [
    ...node(".1"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    { do: "patch pod status", pods: {}, body: { status: { phase: "Succeeded" } } },
    ...detached(".1"),
  ],
  "attached-when-the-claim-is-bound": (name) => [
    ...node(".1"),
    volume(name, "data", RWO, { unbound: true }),
    pod("a", ".1", "data"),
    { do: "bind claim", name: "data" },
    ...attached(".1"),
  ],
  "attached-again-when-it-is-detached": (name) => [
    ...node(".1"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    hold([FINALIZER]),
    ...gone("a"),
    { do: "until", target: "nodes/.1", holds: { "status.volumesAttached": undefined } },
    pod("b", ".1", "data"),
    hold([]),
    // The one after it.
    { do: "until attachments", node: ".1", are: 1 },
    ...attached(".1"),
  ],
  "attached-without-a-driver": () => [
    ...node(".1"),
    {
      do: "create volume",
      name: "disk",
      source: { fc: { targetWWNs: ["50060e801049cfd1", "50060e801049cfd2"], lun: 0 } },
      accessModes: RWO,
    },
    pod("a", ".1", "disk"),
    reported(".1"),
    podWith("b", ".1", [
      {
        name: "inline",
        iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.2001-04.com.example:one", lun: 3 },
      },
    ]),
    ...gone("a"),
  ],
  "attached-for-plugins-of-old": (name) => [
    ...node(".1"),
    ...node(".2"),
    {
      do: "create volume",
      name: "disk",
      source: { awsElasticBlockStore: { volumeID: `aws://us-east-1a/vol-${name}`, fsType: "ext4" } },
      accessModes: RWO,
    },
    pod("a", ".1", "disk"),
    ...attached(".1"),
    podWith("b", ".2", [
      { name: "inline", gcePersistentDisk: { pdName: name, fsType: "ext4", partition: 1, readOnly: true } },
    ]),
    ...attached(".2"),
  ],
  "attached-for-a-claim-of-the-pod": (name) => {
    const storage = { resources: { requests: { storage: "1Gi" } }, accessModes: RWO, storageClassName: "" };
    return [
      ...node(".1"),
      podWith("a", ".1", [{ name: "own", ephemeral: { volumeClaimTemplate: { spec: storage } } }]),
      volume(name, "a-own", RWO, { ofPod: "a" }),
      ...attached(".1"),
    ];
  },
  "detached-after-a-restart": (name) => [
    ...node(".1"),
    volume(name, "data", RWO),
    pod("a", ".1", "data"),
    ...attached(".1"),
    { do: "restart manager" },
    pod("b", ".1", "data"),
    ...gone("a"),
    { do: "restart manager" },
    ...gone("b"),
    ...detached(".1"),
  ],
};

export const attachments: readonly Scenario[] = inArea(
  "attachments",
  Object.entries(all).map(([name, steps]) => ({ name, steps: steps(name) })),
);
