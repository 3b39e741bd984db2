import type { Mutant } from "./mutant.ts";

const here = "cmd/kube-controller-manager";
const tested = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `${here}/${name}.test.ts`);

/** A mistake in a file of the program, and the test beside it that notices. */
function row(
  name: string,
  file: string,
  [find, replace]: readonly [find: string, replace: string],
  tests: readonly string[],
): Mutant {
  return { name, file: `${here}/${file}`, find, replace, tests };
}

const app = tested("app");
const wiring = tested("wiring");
const clients = tested("clients");
const served = tested("server/server-wiring");
const registry = (name: string, find: string, replace: string): Mutant =>
  row(name, "registry.ts", [find, replace], wiring);

const fence: readonly Mutant[] = [
  {
    name: "controllers write without the fence",
    file: "pkg/leader/fenced-client.ts",
    find: "rest.through((transport) => fencedTransport(transport, gate))",
    replace: "rest.through((transport) => (gate, fencedTransport, transport))",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  {
    name: "a client of the set is not fenced",
    file: "pkg/controller/controller-set.ts",
    find: "return fencedClient(notedClient(clients.client(name, options)), gate);",
    replace: "return (fencedClient, gate, clients.client(name, options)) as FencedClientSet;",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  {
    name: "events are not fenced",
    file: "pkg/controller/controller-set.ts",
    find: "this.#client(descriptor.clientName).writeOnly",
    replace: "this.#options.clients.client(descriptor.clientName).writeOnly",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  {
    name: "a client behind a wrap keeps its own transport",
    file: "pkg/client/rest.ts",
    find: "transport: wrap(this.#options.transport)",
    replace: "transport: (wrap, this.#options.transport)",
    tests: ["pkg/controller/controller-set.test.ts"],
  },
  row(
    "a leader's controllers get the open gate",
    "app.ts",
    ["runLeader(run, elector.fence,", "runLeader(run, openGate,"],
    app,
  ),
  row(
    "the gate stays behind",
    "run-controllers.ts",
    ["      gate,\n", "      gate: { ...gate, canWrite: () => true },\n"],
    app,
  ),
];

const ending: readonly Mutant[] = [
  row("no time limit at the end", "end-in-time.ts", ["clock.setTimer(limitMs, expire)", "undefined"], app),
  row("0 is no time at all", "end-in-time.ts", ["if (limitMs > 0) clock", "clock"], app),
  row(
    "the default limit whatever the flag says",
    "run-controllers.ts",
    ["options.generic.controllerShutdownTimeoutMs", "10_000"],
    app,
  ),
  row("a lost lease is a success", "app.ts", ['"lease lost": 1', '"lease lost": 0'], app),
  row(
    "controllers that did not end are a success",
    "app.ts",
    ['"shutdown timeout": 1', '"shutdown timeout": 0'],
    app,
  ),
  row("a lost lease counts as an end in order", "app.ts", ['return "lease lost";', 'return "stopped";'], app),
  row(
    "every end is a success to the shell",
    "main.ts",
    ["return exitCodes[outcome];", "return exitCodes.stopped;"],
    tested("process"),
  ),
  row(
    "whether controllers ended in time is lost",
    "app.ts",
    [
      'await election.close();\n  return clean ? "stopped" : "shutdown timeout";',
      'await election.close();\n  return clean || true ? "stopped" : "shutdown timeout";',
    ],
    app,
  ),
];

const election: readonly Mutant[] = [
  row(
    "--standby-ready inverted",
    "app.ts",
    ["if (!options.own.standbyReady)", "if (options.own.standbyReady)"],
    app,
  ),
  row("--standby-ready fails the process", "app.ts", ['concern: "role"', 'concern: "life"'], app),
  row(
    "requests of the election without a time limit",
    "election.ts",
    ["    timeoutMs: renewDeadlineMs / 2,\n", ""],
    app,
  ),
  row(
    "the election has the whole deadline for one request",
    "election.ts",
    ["renewDeadlineMs / 2", "renewDeadlineMs"],
    app,
  ),
  row("the election waits for the limit of others", "election.ts", ["    limiter: unlimited,\n", ""], app),
  row("the election shares a connection", "election.ts", ["    ownConnection: true,\n", ""], app),
  row(
    "a fixed namespace of the Lease",
    "election.ts",
    ["namespace: resourceNamespace,", 'namespace: (resourceNamespace, "kube-system"),'],
    app,
  ),
  row(
    "a fixed name of the Lease",
    "app.ts",
    ["const leaseName = options.generic.resourceName;", 'const leaseName = "kube-controller-manager";'],
    app,
  ),
  row(
    "the lease lasts as long as the deadline",
    "election.ts",
    ["timing: { leaseDurationMs,", "timing: { leaseDurationMs: renewDeadlineMs + 1,"],
    app,
  ),
  row(
    "renewals at the pace of the deadline",
    "election.ts",
    ["renewDeadlineMs, retryPeriodMs },", "renewDeadlineMs, retryPeriodMs: retryPeriodMs * 2 },"],
    app,
  ),
  row(
    "--leader-elect=false is not heard",
    "app.ts",
    ["options.generic.leaderElect ? candidate(run)", "options.generic.leaderElect || true ? candidate(run)"],
    app,
  ),
];

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
      find: "import { endInTime }",
      replace: 'import { featureGates } from "../../pkg/api/feature-gates.ts";\nimport { endInTime }',
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
  row(
    "--kube-api-qps=0 lifts the limit",
    "clients.ts",
    ["kubeApiQps === 0 ? DEFAULT_QPS : kubeApiQps", "(DEFAULT_QPS, kubeApiQps)"],
    clients,
  ),
  row(
    "--kube-api-burst=0 is a burst of one",
    "clients.ts",
    ["kubeApiBurst === 0 ? DEFAULT_BURST : kubeApiBurst", "(DEFAULT_BURST, kubeApiBurst)"],
    clients,
  ),
  row(
    "the rate is the burst",
    "clients.ts",
    ["DEFAULT_QPS : kubeApiQps", "DEFAULT_QPS : kubeApiBurst"],
    clients,
  ),
  row(
    "the burst is the rate",
    "clients.ts",
    ["DEFAULT_BURST : kubeApiBurst", "DEFAULT_BURST : kubeApiQps"],
    clients,
  ),
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

const serving: readonly Mutant[] = [
  row(
    "every name of a proxy is allowed",
    "server/authn/authentication-sources.ts",
    ["allowedNames: options.requestheaderAllowedNames", "allowedNames: []"],
    served,
  ),
  row(
    "users' headers are the groups' headers",
    "server/authn/authentication-sources.ts",
    [
      "usernameHeaders: options.requestheaderUsernameHeaders",
      "usernameHeaders: options.requestheaderGroupHeaders",
    ],
    served,
  ),
  row(
    "uid headers are lost",
    "server/authn/authentication-sources.ts",
    ["uidHeaders: options.requestheaderUidHeaders", "uidHeaders: []"],
    served,
  ),
  row(
    "fixed group headers",
    "server/authn/authentication-sources.ts",
    ["groupHeaders: options.requestheaderGroupHeaders", 'groupHeaders: ["x-remote-group"]'],
    served,
  ),
  row(
    "extra headers are lost",
    "server/authn/authentication-sources.ts",
    ["extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix", "extraHeaderPrefixes: []"],
    served,
  ),
  row(
    "the authority of clients vouches for proxies",
    "server/authn/authentication-sources.ts",
    ["authorities: this.#proxyFile,", "authorities: this.#clientFile ?? this.#proxyFile,"],
    served,
  ),
  row(
    "tokens are remembered for a fixed time",
    "server/authn/authentication-sources.ts",
    ["options.tokenCacheTtlMs, this.#parts", "10_000, this.#parts"],
    served,
  ),
  row(
    "refusals are remembered as permissions are",
    "server/start-server.ts",
    [
      "authorizedTtlMs, unauthorizedTtlMs });",
      "authorizedTtlMs, unauthorizedTtlMs: authorizedTtlMs || unauthorizedTtlMs });",
    ],
    served,
  ),
  row(
    "permissions are remembered as refusals are",
    "server/start-server.ts",
    [
      "authorizedTtlMs, unauthorizedTtlMs });",
      "authorizedTtlMs: unauthorizedTtlMs || authorizedTtlMs, unauthorizedTtlMs });",
    ],
    served,
  ),
  row(
    "open paths are fixed",
    "server/start-server.ts",
    [
      "return authorizeBy(alwaysAllowPaths, ask);",
      'return authorizeBy(alwaysAllowPaths && ["/healthz"], ask);',
    ],
    served,
  ),
  row(
    "a fixed number of streams",
    "server/start-server.ts",
    ["maxStreams: secureServing.http2MaxStreams", "maxStreams: 0"],
    served,
  ),
  row(
    "tokens are asked about at the other API server",
    "server/start-server.ts",
    ["client: clients.authentication,", "client: clients.authorization,"],
    served,
  ),
  row(
    "reviews go to the other API server",
    "server/start-server.ts",
    ["const client = parts.clients.authorization;", "const client = parts.clients.authentication;"],
    served,
  ),
  row(
    "half a pair of certificates is taken",
    "server/tls/certificate-source.ts",
    ["        createSecureContext({ ...this.#settings, cert, key });\n", ""],
    served,
  ),
  row(
    "half a pair in --cert-dir is read",
    "server/tls/serving-certificate.ts",
    ["!existsSync(certFile) || !existsSync(keyFile)", "!existsSync(certFile) && !existsSync(keyFile)"],
    tested("server/start-server"),
  ),
  row(
    "SIGUSR1 opens the inspector",
    "no-inspector.ts",
    ['process.on("SIGUSR1", () => undefined);', ""],
    tested("process"),
  ),
  row("--v is not heard", "main.ts", ["verbosity: options.logs.level,", "verbosity: 0,"], tested("process")),
  row("--vmodule is not heard", "main.ts", ["    vmodule: options.logs.modules,\n", ""], tested("process")),
  row(
    "--logging-format is not heard",
    "main.ts",
    ['options.logs.format === "json" ? "json" : "text"', '"text"'],
    tested("process"),
  ),
  row(
    "a flag of a controller that is not built says nothing",
    "options/groups/nodes.ts",
    ['title: "Node-ipam-controller",\n  notBuilt: true,', 'title: "Node-ipam-controller",'],
    wiring,
  ),
  row(
    "--allocate-node-cidrs says nothing",
    "options/groups/generic.ts",
    [
      'config: "KubeCloudShared.AllocateNodeCIDRs", unused: NO_NODES',
      'config: "KubeCloudShared.AllocateNodeCIDRs"',
    ],
    wiring,
  ),
];

export const wiringMutants: readonly Mutant[] = [
  {
    name: "keeps the oldest ReplicaSets instead of the newest",
    file: "controllers/deployment/cleanup.ts",
    find: "byAge(one, other) : compareInt64(a, b)",
    replace: "byAge(one, other) : compareInt64(b, a)",
    tests: ["controllers/deployment/cleanup.test.ts"],
  },
  ...fence,
  ...ending,
  ...election,
  ...sets,
  ...settings,
  ...connecting,
  ...serving,
];
