import { cases } from "./corpus-case.ts";

const networking = "networking.k8s.io/v1";
const backend = { service: { name: "s", port: { number: 80 } } };
const path = (fields: object) => ({ path: "/", pathType: "Prefix", backend, ...fields });
const paths = (...list: readonly object[]) => ({ spec: { rules: [{ http: { paths: list.map(path) } }] } });
const egress = (rule: object) => ({ spec: { podSelector: {}, egress: [rule] } });

const network = [
  ...cases(
    networking,
    "Ingress",
    {
      "with everything": {
        spec: {
          ingressClassName: "c",
          defaultBackend: { resource: { apiGroup: "example.com", kind: "Bucket", name: "b" } },
          tls: [{ hosts: ["*.example.com"], secretName: "s" }],
          rules: [{ host: "*.example.com", http: { paths: [path({})] } }],
        },
      },
    },
    {
      "bad hosts": {
        spec: {
          rules: [{ host: "1.2.3.4" }, { host: "*.*.a" }, { host: "A" }, { host: "a", http: { paths: [] } }],
          tls: [{ hosts: ["*", "B"], secretName: "C" }],
          ingressClassName: "D",
        },
      },
      "bad paths": paths(
        { path: "a" },
        { path: "/a//b/../%2f/.", pathType: "Exact" },
        { pathType: "Near" },
        { pathType: null },
      ),
      "bad backends": paths(
        { backend: {} },
        { backend: { service: { name: "A", port: { name: "a", number: 1 } } } },
        { backend: { service: { name: "", port: {} } } },
        { backend: { service: { name: "a", port: { name: "a_b" } } } },
        { backend: { service: { name: "a", port: { number: 65536 } } } },
        { backend: { resource: { apiGroup: "A", kind: "", name: "a/b" } } },
        { backend: { ...backend, resource: { kind: "k", name: "n" } } },
      ),
      "two classes": {
        metadata: { annotations: { "kubernetes.io/ingress.class": "a" } },
        spec: { ingressClassName: "b", defaultBackend: backend },
      },
    },
  ),
  ...cases(
    networking,
    "NetworkPolicy",
    {
      "with ranges": egress({
        to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
        ports: [{ port: 1, endPort: 2 }, { port: "http" }],
      }),
    },
    {
      "bad ports": egress({
        ports: [
          { protocol: "tcp", port: 0 },
          { port: 2, endPort: 1 },
          { port: "http", endPort: 1 },
          { endPort: 1 },
          { port: "A_" },
        ],
      }),
      "bad peers": egress({
        to: [
          {},
          { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } },
          { ipBlock: { cidr: "" } },
          { ipBlock: { cidr: "x", except: ["y"] } },
          { ipBlock: { cidr: "10.0.0.0/8", except: ["10.0.0.0/8", "::/0", "y"] } },
          { namespaceSelector: { matchExpressions: [{ key: "a b", operator: "Near" }] } },
        ],
      }),
      "bad types": { spec: { podSelector: {}, policyTypes: ["Other", "Egress"] } },
      "too many types": { spec: { podSelector: {}, policyTypes: ["Egress", "Egress", "Egress"] } },
    },
  ),
];

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const scaler = (...metrics: readonly object[]) => ({
  spec: { maxReplicas: 3, scaleTargetRef: target, metrics },
});
const average = { type: "AverageValue", averageValue: "1" };

const autoscalers = cases(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  {
    "of an old controller": {
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "ReplicationController", name: "r" } },
    },
  },
  {
    "bad targets": {
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "v1", kind: "Pod", name: ".." } },
    },
    "a bad version": { spec: { maxReplicas: 3, scaleTargetRef: { ...target, apiVersion: "a/b/c" } } },
    "other sources": scaler(
      { type: "Resource", containerResource: { name: "x", container: "A", target: {} } },
      { type: "Pods", object: { describedObject: {}, metric: { name: "a/b" }, target: average } },
      {
        type: "External",
        external: { metric: { name: "m" }, target: {} },
        pods: { metric: { name: "m" }, target: average },
      },
      { type: "Odd" },
    ),
  },
);

const limits = cases(
  "v1",
  "LimitRange",
  { "of a kind of one's own": { spec: { limits: [{ type: "example.com/x", max: { cpu: "1" } }] } } },
  {
    "bad names": {
      spec: {
        limits: [
          { type: "PersistentVolumeClaim", max: { storage: "1", odd: "1" }, min: { "a b": "1" } },
          { type: "Container", max: { pods: "1" }, default: { odd: "1" } },
        ],
      },
    },
    "bad ratios": {
      spec: {
        limits: [
          {
            type: "Container",
            min: { cpu: "1" },
            max: { cpu: "2" },
            maxLimitRequestRatio: { cpu: "3" },
            default: { "hugepages-2Mi": "2" },
            defaultRequest: { "hugepages-2Mi": "1" },
          },
        ],
      },
    },
    "a bad type": { spec: { limits: [{ type: "a b" }] } },
  },
);

const newEvent = {
  eventTime: "2020-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "c-1",
  action: "Act",
  reason: "Because",
  type: "Normal",
  regarding: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "p" },
};

const others = [
  ...cases(
    "events.k8s.io/v1",
    "Event",
    { new: newEvent },
    {
      "with old fields": {
        ...newEvent,
        deprecatedFirstTimestamp: "2020-01-01T00:00:00Z",
        deprecatedLastTimestamp: "2020-01-01T00:00:00Z",
        deprecatedCount: 1,
        deprecatedSource: { component: "c" },
      },
      "of another namespace": {
        ...newEvent,
        eventTime: null,
        regarding: { kind: "Pod", namespace: "other" },
      },
      "with a bad series": { ...newEvent, series: { count: 1, lastObservedTime: null } },
      "with a long note": { ...newEvent, note: "x".repeat(1025) },
    },
  ),
  ...cases("coordination.k8s.io/v1", "Lease", {
    "that is coordinated": { spec: { strategy: "OldestEmulationVersion", preferredHolder: "a" } },
  }),
  ...cases("v1", "ServiceAccount", {
    "with more than names": { secrets: [{ name: "s", apiVersion: "v1", fieldPath: "x" }] },
  }),
];

export const moreCases = [...network, ...autoscalers, ...limits, ...others];
