import type { Mutant } from "./mutant.ts";
import { here, row, tested } from "./wiring-row.ts";

const app = tested("app");
const wiring = tested("wiring");
const clients = tested("clients");
const registry = (name: string, find: string, replace: string): Mutant =>
  row(name, "registry.ts", [find, replace], wiring);

const sets: readonly Mutant[] = [
  {
    ...row(
      "the features of the flags are lost",
      "run-controllers.ts",
      ["features: run.gates,", "features: featureGates(),"],
      app,
    ),
    also: {
      file: `${here}/run-controllers.ts`,
      find: "import { runSet }",
      replace: 'import { featureGates } from "../../pkg/api/feature-gates.ts";\nimport { runSet }',
    },
  },
  row(
    "no resyncs",
    "run-controllers.ts",
    ["      leastResyncMs: options.generic.minResyncPeriodMs,\n", ""],
    app,
  ),
  row(
    "resyncs at the pace of the start",
    "run-controllers.ts",
    [
      "leastResyncMs: options.generic.minResyncPeriodMs",
      "leastResyncMs: options.generic.controllerStartIntervalMs",
    ],
    app,
  ),
  row(
    "all controllers start at once",
    "run-controllers.ts",
    ["      startIntervalMs: options.generic.controllerStartIntervalMs,\n", ""],
    app,
  ),
];

const settings: readonly Mutant[] = [
  registry(
    "workers of endpoints for slices",
    "workers: options.endpointSlice.concurrentSyncs",
    "workers: options.endpoints.concurrentSyncs",
  ),
  registry(
    "workers of ReplicaSets for ReplicationControllers",
    "workers: options.replicationcontroller.concurrentSyncs",
    "workers: options.replicaset.concurrentSyncs",
  ),
  registry(
    "workers of Deployments for StatefulSets",
    "workers: options.statefulset.concurrentSyncs",
    "workers: options.deployment.concurrentSyncs",
  ),
  registry(
    "workers of Jobs for CronJobs",
    "workers: options.cronjob.concurrentSyncs",
    "workers: options.job.concurrentSyncs",
  ),
  registry(
    "workers of Jobs for those that are over",
    "workers: options.ttlAfterFinished.concurrentSyncs",
    "workers: options.job.concurrentSyncs",
  ),
  registry(
    "the batch period of endpoints for slices",
    "updatesBatchPeriodMs: options.endpointSlice.updatesBatchPeriodMs",
    "updatesBatchPeriodMs: options.endpoints.updatesBatchPeriodMs",
  ),
  registry(
    "the batch period of slices for mirrors",
    "updatesBatchPeriodMs: options.endpointSliceMirroring.updatesBatchPeriodMs",
    "updatesBatchPeriodMs: options.endpointSlice.updatesBatchPeriodMs",
  ),
  registry(
    "a fixed size of slices",
    "maxEndpointsPerSlice: options.endpointSlice.maxEndpointsPerSlice",
    "maxEndpointsPerSlice: 100",
  ),
  registry(
    "the size of slices for subsets",
    "maxEndpointsPerSubset: options.endpointSliceMirroring.maxEndpointsPerSubset",
    "maxEndpointsPerSubset: options.endpointSlice.maxEndpointsPerSlice",
  ),
  registry(
    "the period of namespaces for quotas",
    "syncPeriodMs: options.resourceQuota.syncPeriodMs",
    "syncPeriodMs: options.namespace.syncPeriodMs",
  ),
  registry(
    "the threshold of pods ignored",
    "threshold: options.podGarbageCollector.terminatedPodThreshold",
    "threshold: 12_500",
  ),
  registry(
    "tokens cleaned at another pace",
    "cleanUpPeriodMs: options.legacyTokenCleaner.cleanUpPeriodMs",
    "cleanUpPeriodMs: options.namespace.syncPeriodMs",
  ),
  registry(
    "the garbage collector always runs",
    "options.garbageCollector.enabled\n      ?",
    "options.garbageCollector.enabled || true\n      ?",
  ),
  {
    name: "one worker whatever the flag says",
    file: "controllers/deployment/controller.ts",
    find: "    workers,\n",
    replace: "    workers: 1 + 0 * workers,\n",
    tests: wiring,
  },
];

const connecting: readonly Mutant[] = [
  row(
    "service accounts are not used",
    "clients.ts",
    [
      "useServiceAccountCredentials ? serviceAccountClients(shared, NAMESPACE) : httpClients(shared)",
      "httpClients((useServiceAccountCredentials, serviceAccountClients, NAMESPACE, shared))",
    ],
    clients,
  ),
  row(
    "service accounts are always used",
    "clients.ts",
    [
      "useServiceAccountCredentials ? serviceAccountClients(shared, NAMESPACE) :",
      "useServiceAccountCredentials || true ? serviceAccountClients(shared, NAMESPACE) :",
    ],
    clients,
  ),
  {
    name: "--kube-api-qps=0 lifts the limit",
    file: "pkg/client/client-builder.ts",
    find: "qps * qpsFactor || USUAL_QPS",
    replace: "qps * qpsFactor || 0 * USUAL_QPS",
    tests: clients,
  },
  {
    name: "--kube-api-qps=0 means more to controllers with many requests",
    file: "pkg/client/client-builder.ts",
    find: "qps * qpsFactor || USUAL_QPS",
    replace: "(qps || USUAL_QPS) * qpsFactor",
    tests: clients,
  },
  {
    name: "--kube-api-burst=0 is a burst of one",
    file: "pkg/client/client-builder.ts",
    find: "burst * burstFactor || USUAL_BURST",
    replace: "burst * burstFactor || 0 * USUAL_BURST",
    tests: clients,
  },
  row("the rate is the burst", "clients.ts", ["qps: kubeApiQps", "qps: kubeApiBurst"], clients),
  row("the burst is the rate", "clients.ts", ["burst: kubeApiBurst", "burst: kubeApiQps"], clients),
  row(
    "queues are always fair",
    "clients.ts",
    ["fair: options.own.fairQueues", "fair: options.own.fairQueues || true"],
    clients,
  ),
  row(
    "--master is not heard",
    "clients.ts",
    ["loadAccess({ kubeconfig, master,", 'loadAccess({ kubeconfig, master: kubeconfig === "" ? master : "",'],
    clients,
  ),
  row(
    "authorization through the authentication kubeconfig",
    "server/delegation/delegated-clients.ts",
    ["builderFor(options.authorization.kubeconfig", "builderFor(options.authentication.kubeconfig"],
    tested("server/delegation/delegated-clients"),
  ),
];

export const wiringMutants: readonly Mutant[] = [...sets, ...settings, ...connecting];
