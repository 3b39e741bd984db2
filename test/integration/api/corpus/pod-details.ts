import { cases } from "./corpus-case.ts";

const image = "registry.example/app:1";
const container = { name: "app", image };
const spec = (extra: object) => ({ spec: { containers: [container], ...extra } });
const withContainer = (extra: object, ofPod: object = {}) => ({
  spec: { containers: [{ ...container, ...extra }], ...ofPod },
});
const resources = (requests: object, limits: object = requests) =>
  withContainer({ resources: { requests, limits } });
const restarts = (fields: object, ofPod: object = {}) => withContainer(fields, ofPod);
const rule = (fields: object) => ({ restartPolicy: "Never", restartPolicyRules: [fields] });
const exits = (operator: string, values: readonly number[]) => ({
  action: "Restart",
  exitCodes: { operator, values },
});
const mounts = (list: readonly object[], more: object = {}) =>
  withContainer(
    { volumeMounts: list, ...more },
    {
      volumes: [
        { name: "v", emptyDir: {} },
        { name: "c", persistentVolumeClaim: { claimName: "c" } },
      ],
    },
  );
const security = (fields: object) => withContainer({ securityContext: fields });
const volume = (fields: object) => spec({ volumes: [{ name: "v", ...fields }] });
const env = (valueFrom: object) => withContainer({ env: [{ name: "A", valueFrom }] });
const affinity = (requirement: object) =>
  spec({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [requirement] } },
    },
  });
const spread = (fields: object) =>
  spec({
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {}, ...fields },
    ],
  });
const near = (fields: object) =>
  spec({
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", ...fields }] },
    },
  });
const many = (count: number, make: (index: number) => unknown): readonly unknown[] =>
  Array.from({ length: count }, (_, index) => make(index));

const containers = cases(
  "v1",
  "Pod",
  {
    "resize policies": withContainer({
      resizePolicy: [
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "memory", restartPolicy: "RestartContainer" },
      ],
    }),
    "restart rules": restarts(rule(exits("In", [1, 42]))),
    "restart rules of a sidecar's like": restarts({ restartPolicy: "OnFailure" }, { restartPolicy: "Never" }),
    "huge pages": resources({ cpu: "1", memory: "1Gi", "hugepages-2Mi": "4Mi" }),
    "extended resources": resources({ "example.com/card": "2" }),
    "claims of a container": withContainer(
      { resources: { claims: [{ name: "gpu", request: "one" }] } },
      { resourceClaims: [{ name: "gpu", resourceClaimName: "c" }] },
    ),
    "mounts of every sort": mounts([
      { name: "v", mountPath: "/a", subPathExpr: "$(A)" },
      { name: "v", mountPath: "/b", readOnly: true, recursiveReadOnly: "Enabled", mountPropagation: "None" },
      { name: "v", mountPath: "/c", readOnly: true, recursiveReadOnly: "IfPossible" },
    ]),
    "a block device": mounts([], { volumeDevices: [{ name: "c", devicePath: "/dev/x" }] }),
    "propagation in both ways": mounts([{ name: "v", mountPath: "/a", mountPropagation: "Bidirectional" }], {
      securityContext: { privileged: true },
    }),
    "headers and grace of probes": withContainer({
      livenessProbe: {
        httpGet: { port: 80, httpHeaders: [{ name: "X-A", value: "b" }] },
        terminationGracePeriodSeconds: 1,
      },
      lifecycle: { preStop: { sleep: { seconds: 30 } } },
    }),
  },
  {
    "bad resize policies": withContainer({
      resizePolicy: [
        { resourceName: "disk", restartPolicy: "Never" },
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "cpu", restartPolicy: "NotRequired" },
      ],
    }),
    "a resize that would restart what never restarts": withContainer(
      { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
      { restartPolicy: "Never" },
    ),
    "restart rules without a policy": restarts({ restartPolicyRules: [exits("In", [1])] }),
    "a restart policy of another kind": restarts({ restartPolicy: "Sometimes" }),
    "a restart rule of another kind": restarts(rule({ ...exits("Near", [1]), action: "Explode" })),
    "a restart rule without codes": restarts(rule({ action: "Restart" })),
    "a restart rule with too many codes": restarts(
      rule(exits("In", many(256, (index) => index) as number[])),
    ),
    "too many restart rules": restarts({
      restartPolicy: "Never",
      restartPolicyRules: many(21, () => exits("In", [1])),
    }),
    "huge pages alone": resources({ "hugepages-2Mi": "4Mi" }),
    "huge pages without a limit": withContainer({
      resources: { requests: { cpu: "1", "hugepages-2Mi": "4Mi" } },
    }),
    "huge pages asked for and allowed apart": resources(
      { cpu: "1", "hugepages-2Mi": "2Mi" },
      { cpu: "1", "hugepages-2Mi": "4Mi" },
    ),
    "an extended resource without a limit": withContainer({
      resources: { requests: { "example.com/card": "2" } },
    }),
    "half an extended resource": resources({ "example.com/card": "1500m" }),
    "resources of nobody": resources({ disk: "1", "kubernetes.io/disk": "1", "a b": "1" }),
    "claims that are not there": withContainer({
      resources: { claims: [{ name: "" }, { name: "gone" }, { name: "gone" }] },
    }),
    "mounts that meet": mounts(
      [
        { name: "v", mountPath: "/a", subPath: "s", subPathExpr: "$(A)" },
        { name: "gone", mountPath: "/a" },
        { name: "c", mountPath: "" },
        { name: "v", mountPath: "/e", subPath: "/s" },
        { name: "v", mountPath: "/f", subPath: "../s" },
      ],
      {
        volumeDevices: [
          { name: "c", devicePath: "/dev/x" },
          { name: "v", devicePath: "../a" },
          { name: "gone", devicePath: "/a" },
          { name: "c", devicePath: "" },
          { name: "", devicePath: "/dev/x" },
        ],
      },
    ),
    "propagation without privileges": mounts([
      { name: "v", mountPath: "/a", mountPropagation: "Bidirectional" },
      { name: "v", mountPath: "/b", mountPropagation: "Sideways" },
    ]),
    "read-only throughout, and not": mounts([
      { name: "v", mountPath: "/a", readOnly: true, recursiveReadOnly: "Perhaps" },
      { name: "v", mountPath: "/b", recursiveReadOnly: "Enabled" },
      {
        name: "v",
        mountPath: "/c",
        readOnly: true,
        recursiveReadOnly: "Enabled",
        mountPropagation: "HostToContainer",
      },
    ]),
    "bad headers, and no grace": withContainer({
      livenessProbe: {
        httpGet: {
          port: 80,
          httpHeaders: [
            { name: "X A", value: "b" },
            { name: "", value: "b" },
          ],
        },
        terminationGracePeriodSeconds: 0,
      },
      readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 1 },
      lifecycle: { preStop: { sleep: { seconds: 31 } } },
    }),
  },
);

const specs = cases(
  "v1",
  "Pod",
  {
    "own DNS": spec({
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["10.0.0.1"], searches: ["a.b"], options: [{ name: "ndots", value: "2" }] },
    }),
    "hosts under other names": spec({ hostAliases: [{ ip: "10.0.0.1", hostnames: ["a", "b.c"] }] }),
    windows: spec({ os: { name: "windows" } }),
    "sysctls and profiles": spec({
      securityContext: {
        sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }],
        seccompProfile: { type: "Localhost", localhostProfile: "a/b" },
        appArmorProfile: { type: "RuntimeDefault" },
      },
    }),
    "users of its own": {
      spec: { hostUsers: false, containers: [{ ...container, securityContext: { procMount: "Unmasked" } }] },
    },
    "a node by its name": affinity({
      matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }],
    }),
    "tolerations that compare": spec({
      tolerations: [{ key: "a", operator: "Exists" }, { operator: "Exists" }],
    }),
    "spread by every rule": spread({
      minDomains: 2,
      nodeAffinityPolicy: "Honor",
      nodeTaintsPolicy: "Ignore",
      labelSelector: { matchLabels: { a: "b" } },
      matchLabelKeys: ["pod-template-hash"],
    }),
    "spread by keys that are selected by": spread({
      labelSelector: { matchLabels: { a: "b" } },
      matchLabelKeys: ["a"],
    }),
    "projections of every sort": spec({
      serviceAccountName: "default",
      volumes: [
        {
          name: "v",
          projected: {
            sources: [
              { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
              {
                downwardAPI: {
                  items: [
                    {
                      path: "cpu",
                      resourceFieldRef: { containerName: "app", resource: "limits.cpu", divisor: "1m" },
                    },
                  ],
                },
              },
              { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
            ],
          },
        },
      ],
    }),
    "the lowest and the highest port": withContainer({
      ports: [{ containerPort: 1 }, { containerPort: 65_535 }],
    }),
    "a value of its resources": env({ resourceFieldRef: { resource: "requests.memory", divisor: "1Mi" } }),
  },
  {
    "ports beyond the highest": withContainer({ ports: [{ containerPort: 65_536 }] }),
    "own DNS without any": spec({ dnsPolicy: "None" }),
    "own DNS without servers": spec({ dnsPolicy: "None", dnsConfig: {} }),
    "too much of DNS": spec({
      dnsConfig: {
        nameservers: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "here"],
        searches: many(33, (index) => `${"a".repeat(60)}.${index}`),
        options: [{ value: "2" }],
      },
    }),
    "a search path of bad names": spec({ dnsConfig: { searches: ["A b", "."] } }),
    "bad hosts under other names": spec({ hostAliases: [{ ip: "here", hostnames: ["A b", "a"] }] }),
    "another system": spec({ os: { name: "plan9" } }),
    "claims from nowhere": spec({
      resourceClaims: [
        { name: "none" },
        { name: "both", resourceClaimName: "a", resourceClaimTemplateName: "b" },
        { name: "none", resourceClaimName: "a" },
        { name: "a b", resourceClaimName: "A b" },
      ],
    }),
    "all processes of all": spec({ hostPID: true, shareProcessNamespace: true }),
    "bad sysctls": spec({
      hostNetwork: true,
      hostIPC: true,
      securityContext: {
        sysctls: [
          { name: "net.core.somaxconn", value: "1" },
          { name: "kernel.shmmax", value: "1" },
          { name: "kernel.shmmax", value: "1" },
          { name: "", value: "1" },
        ],
      },
    }),
    "bad profiles": spec({
      securityContext: {
        seccompProfile: { type: "Localhost" },
        appArmorProfile: { type: "Localhost", localhostProfile: " a " },
      },
    }),
    "profiles of another kind": spec({
      securityContext: {
        seccompProfile: { type: "RuntimeDefault", localhostProfile: "a" },
        appArmorProfile: { type: "Some" },
      },
    }),
    "profiles that lead out": spec({
      securityContext: {
        seccompProfile: { type: "Localhost", localhostProfile: "../a" },
        appArmorProfile: { type: "Localhost" },
      },
    }),
    "privileges that are taken and kept": security({
      allowPrivilegeEscalation: false,
      privileged: true,
      capabilities: { add: ["CAP_SYS_ADMIN"] },
      runAsUser: -1,
    }),
    "escalation by an administrator": security({
      allowPrivilegeEscalation: false,
      capabilities: { add: ["CAP_SYS_ADMIN"] },
    }),
    "processes that are shown otherwise": security({ procMount: "Half" }),
    "processes that are shown to all": security({ procMount: "Unmasked" }),
    "a node by another field": affinity({
      matchFields: [{ key: "metadata.uid", operator: "Near", values: ["n"] }],
    }),
    "a node by several names": affinity({
      matchFields: [{ key: "metadata.name", operator: "In", values: ["n", "m"] }],
    }),
    "tolerations of another kind": spec({
      tolerations: [
        { key: "a", operator: "Near" },
        { operator: "Equal", value: "b" },
        { key: "a", operator: "Exists", value: "b" },
        { key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 1 },
        { key: "a", operator: "Exists", effect: "Never" },
        { key: "a", operator: "Equal", value: "b c" },
      ],
    }),
    "tolerations that compare with no number": spec({
      tolerations: [{ key: "a", operator: "Lt", value: "b" }],
    }),
    "spread by bad rules": spread({
      nodeAffinityPolicy: "Perhaps",
      nodeTaintsPolicy: "Perhaps",
      minDomains: 0,
    }),
    "spread by keys of nothing": spread({ labelSelector: undefined, matchLabelKeys: ["a", "a b"] }),
    "spread where one must not": spread({ maxSkew: 0, minDomains: 2, whenUnsatisfiable: "ScheduleAnyway" }),
    "near bad namespaces": near({ namespaces: ["A b"], labelSelector: {} }),
    "near by keys of nothing": near({ matchLabelKeys: ["a"], mismatchLabelKeys: ["b"] }),
    "near by a key that is none": near({
      labelSelector: {},
      matchLabelKeys: ["a", "b"],
      mismatchLabelKeys: ["c d"],
    }),
    "an ephemeral volume of nothing": volume({ ephemeral: {} }),
    "a claim that another volume makes": {
      metadata: { name: "makes" },
      spec: {
        containers: [container],
        volumes: [
          {
            name: "v",
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            },
          },
          { name: "w", persistentVolumeClaim: { claimName: "makes-v" } },
        ],
      },
    },
    "projections of nothing": volume({
      projected: {
        sources: [
          {},
          { secret: { name: "s" }, configMap: { name: "c" } },
          { downwardAPI: { items: [{ path: "" }, { path: "a" }] } },
          {
            downwardAPI: {
              items: [
                {
                  path: "b",
                  fieldRef: { fieldPath: "metadata.name" },
                  resourceFieldRef: { resource: "limits.cpu", containerName: "app" },
                },
                { path: "c", resourceFieldRef: { resource: "limits.cpu" } },
                { path: "../d", fieldRef: { fieldPath: "metadata.name" }, mode: 512 },
              ],
            },
          },
        ],
      },
    }),
    "values of no field": env({ fieldRef: { fieldPath: "" } }),
    "values of a field that is not there": env({ fieldRef: { fieldPath: "metadata.color" } }),
    "values in a version that is not there": env({
      fieldRef: { apiVersion: "v9", fieldPath: "metadata.name" },
    }),
    "values by a bad divisor": env({ resourceFieldRef: { resource: "limits.cpu", divisor: "7" } }),
    "values by a bad divisor of bytes": env({
      resourceFieldRef: { resource: "limits.memory", divisor: "7" },
    }),
    "values of no resource": env({ resourceFieldRef: { resource: "limits.color" } }),
    "values of two things": env({
      fieldRef: { fieldPath: "metadata.name" },
      resourceFieldRef: { resource: "limits.cpu" },
    }),
    "a mirror without a node": {
      metadata: { annotations: { "kubernetes.io/config.mirror": "m" } },
      ...spec({}),
    },
  },
);

export const podDetails = [...containers, ...specs];
