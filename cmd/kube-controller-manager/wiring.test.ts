import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { allKinds } from "../../pkg/apiserver/kinds/all-kinds.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import { authorityPair, signingFiles } from "../../test/harness/signing-files.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import type { ClusterSecrets } from "./cluster-secrets.ts";
import { knownControllers } from "./known-controllers.ts";
import type { FlagGroup } from "./options/flag.ts";
import { flagGroups, type Options } from "./options/options.ts";
import { allFlags, type FlagEntry } from "./options/parse.ts";
import { resolveOptions } from "./options/resolve.ts";
import { registryEntries } from "./registry.ts";
import { selectControllers } from "./select-controllers.ts";

/** Where the value of each flag must arrive: controller, and setting. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "serviceaccount-token-controller": { workers: "concurrent-serviceaccount-token-syncs" },
  "endpoints-controller": {
    workers: "concurrent-endpoint-syncs",
    updatesBatchPeriodMs: "endpoint-updates-batch-period",
  },
  "endpointslice-controller": {
    workers: "concurrent-service-endpoint-syncs",
    maxEndpointsPerSlice: "max-endpoints-per-slice",
    updatesBatchPeriodMs: "endpointslice-updates-batch-period",
  },
  "endpointslice-mirroring-controller": {
    workers: "mirroring-concurrent-service-endpoint-syncs",
    maxEndpointsPerSubset: "mirroring-max-endpoints-per-subset",
    updatesBatchPeriodMs: "mirroring-endpointslice-updates-batch-period",
  },
  "resourcequota-controller": {
    workers: "concurrent-resource-quota-syncs",
    syncPeriodMs: "resource-quota-sync-period",
  },
  "legacy-serviceaccount-token-cleaner-controller": {
    cleanUpPeriodMs: "legacy-service-account-token-clean-up-period",
  },
  "deployment-controller": { workers: "concurrent-deployment-syncs" },
  "statefulset-controller": { workers: "concurrent-statefulset-syncs" },
  "daemonset-controller": { workers: "concurrent-daemonset-syncs" },
  "replicaset-controller": { workers: "concurrent-replicaset-syncs" },
  "replicationcontroller-controller": { workers: "concurrent-rc-syncs" },
  "garbage-collector-controller": { workers: "concurrent-gc-syncs" },
  "namespace-controller": { workers: "concurrent-namespace-syncs", syncPeriodMs: "namespace-sync-period" },
  "certificatesigningrequest-signing-controller": { durationMs: "cluster-signing-duration" },
  "node-ipam-controller": {
    maskSize: "node-cidr-mask-size",
    maskSizeIpv4: "node-cidr-mask-size-ipv4",
    maskSizeIpv6: "node-cidr-mask-size-ipv6",
  },
  "horizontal-pod-autoscaler-controller": {
    workers: "concurrent-horizontal-pod-autoscaler-syncs",
    cpuInitializationPeriodMs: "horizontal-pod-autoscaler-cpu-initialization-period",
    downscaleStabilizationMs: "horizontal-pod-autoscaler-downscale-stabilization",
    initialReadinessDelayMs: "horizontal-pod-autoscaler-initial-readiness-delay",
    syncPeriodMs: "horizontal-pod-autoscaler-sync-period",
    tolerance: "horizontal-pod-autoscaler-tolerance",
  },
  "persistentvolume-binder-controller": {
    retryPeriodMs: "pvclaimbinder-sync-period",
    minimumHostPathSeconds: "pv-recycler-minimum-timeout-hostpath",
    incrementHostPathSeconds: "pv-recycler-timeout-increment-hostpath",
    minimumNfsSeconds: "pv-recycler-minimum-timeout-nfs",
    incrementNfsSeconds: "pv-recycler-increment-timeout-nfs",
  },
  "pod-garbage-collector-controller": { threshold: "terminated-pod-gc-threshold" },
  "node-lifecycle-controller": {
    monitorPeriodMs: "node-monitor-period",
    monitorGracePeriodMs: "node-monitor-grace-period",
    startupGracePeriodMs: "node-startup-grace-period",
    evictionRate: "node-eviction-rate",
    secondaryEvictionRate: "secondary-node-eviction-rate",
    largeClusterSizeThreshold: "large-cluster-size-threshold",
    unhealthyZoneThreshold: "unhealthy-zone-threshold",
  },
  "job-controller": { workers: "concurrent-job-syncs" },
  "cronjob-controller": { workers: "concurrent-cron-job-syncs" },
  "device-taint-eviction-controller": { workers: "concurrent-device-taint-eviction-syncs" },
  "resourceclaim-controller": { workers: "concurrent-resourceclaim-syncs" },
  "ephemeral-volume-controller": { workers: "concurrent-ephemeralvolume-syncs" },
  "ttl-after-finished-controller": { workers: "concurrent-ttl-after-finished-syncs" },
  "validatingadmissionpolicy-status-controller": {
    workers: "concurrent-validating-admission-policy-status-syncs",
  },
};

/** Workers of queues that no flag is for, as upstream has them; of claims, where it works on all of a namespace at once, more. */
const FIXED_WORKERS: Readonly<Record<string, number>> = {
  ClusterRoleAggregator: 5,
  attachdetach_drivers: 1,
  attachdetach_nodes: 10,
  attachdetach_volumes: 20,
  bootstrap_signer_queue: 1,
  ca_cert_publisher_cluster_trust_bundles: 1,
  certificate: 5,
  cidrallocator_node: 30,
  claims: 16,
  disruption: 1,
  disruption_recheck: 1,
  endpoint_slice_zones: 1,
  garbage_collector_graph_changes: 1,
  ipaddresses: 5,
  node_lifecycle_controller: 8,
  node_lifecycle_controller_pods: 4,
  node_lifecycle_zones: 4,
  noexec_taint_node: 8,
  noexec_taint_pod: 8,
  podgroupprotection: 1,
  pvcprotection: 50,
  pvcs: 1,
  pvprotection: 1,
  resource_pool_status_requests: 1,
  resource_quota_controller_resource_changes: 1,
  root_ca_cert_publisher: 1,
  rounds: 1,
  selinux_warning: 1,
  serviceaccount: 1,
  "resource-version-controller": 1,
  stale_pod_disruption: 1,
  "storage-version-migrator-controller": 5,
  storage_version_garbage_collector_leases: 1,
  storage_version_garbage_collector_storageversions: 1,
  token_cleaner: 1,
  ttlcontroller: 5,
  vacprotection: 1,
  volume_expand: 10,
  volumes: 16,
};

const here = "cmd/kube-controller-manager";
/** The tests that fail when one of these flags does nothing. Every flag is in one of the three tables, or does nothing. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  [`${here}/app.test.ts`]: [
    "controller-shutdown-timeout",
    "controller-start-interval",
    "feature-gates",
    "health-max-sync-duration",
    "leader-elect",
    "leader-elect-lease-duration",
    "leader-elect-renew-deadline",
    "leader-elect-resource-name",
    "leader-elect-resource-namespace",
    "leader-elect-retry-period",
    "min-resync-period",
    "standby-ready",
    "sync-history",
  ],
  [`${here}/clients.test.ts`]: [
    "fair-queues",
    "kube-api-burst",
    "kube-api-qps",
    "kubeconfig",
    "master",
    "use-service-account-credentials",
  ],
  [`${here}/authority-files.test.ts`]: [
    "cluster-signing-cert-file",
    "cluster-signing-key-file",
    "cluster-signing-kube-apiserver-client-cert-file",
    "cluster-signing-kube-apiserver-client-key-file",
    "cluster-signing-kubelet-client-cert-file",
    "cluster-signing-kubelet-client-key-file",
    "cluster-signing-kubelet-serving-cert-file",
    "cluster-signing-kubelet-serving-key-file",
    "cluster-signing-legacy-unknown-cert-file",
    "cluster-signing-legacy-unknown-key-file",
  ],
  [`${here}/cluster-secrets.test.ts`]: ["root-ca-file", "service-account-private-key-file"],
  [`${here}/options/leader-migration-file.test.ts`]: ["enable-leader-migration", "leader-migration-config"],
  [`${here}/options/metrics-settings.test.ts`]: [
    "allow-metric-labels",
    "allow-metric-labels-manifest",
    "disabled-metrics",
    "show-hidden-metrics-for-version",
  ],
  [`${here}/options/options.test.ts`]: ["config", "help", "leader-elect-resource-lock", "version"],
  [`${here}/recycler-templates.test.ts`]: [
    "pv-recycler-pod-template-filepath-hostpath",
    "pv-recycler-pod-template-filepath-nfs",
  ],
  [`${here}/process.test.ts`]: ["logging-format", "v", "vmodule"],
  [`${here}/server/delegation/delegated-clients.test.ts`]: [
    "authentication-kubeconfig",
    "authorization-kubeconfig",
  ],
  [`${here}/server/server-wiring.test.ts`]: [
    "authentication-token-webhook-cache-ttl",
    "authorization-always-allow-paths",
    "authorization-webhook-cache-authorized-ttl",
    "authorization-webhook-cache-unauthorized-ttl",
    "http2-max-streams-per-connection",
    "requestheader-allowed-names",
    "requestheader-client-ca-file",
    "requestheader-extra-headers-prefix",
    "requestheader-group-headers",
    "requestheader-uid-headers",
    "requestheader-username-headers",
  ],
  [`${here}/server/start-server.test.ts`]: [
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "disable-http2-serving",
    "heap-snapshots",
    "permit-port-sharing",
    "profiling",
    "secure-port",
    "tls-cert-file",
    "tls-cipher-suites",
    "tls-curve-preferences",
    "tls-min-version",
    "tls-private-key-file",
    "tls-sni-cert-key",
  ],
  [`${here}/wiring.test.ts`]: [
    "allocate-node-cidrs",
    "cidr-allocator-type",
    "cluster-cidr",
    "controllers",
    "disable-attach-detach-reconcile-sync",
    "disable-force-detach-on-timeout",
    "enable-dynamic-provisioning",
    "enable-garbage-collector",
    "enable-hostpath-provisioner",
    "horizontal-pod-autoscaler-owned-pods-only",
    "service-cluster-ip-range",
  ],
  "test/integration/serving.real.test.ts": [
    "authentication-skip-lookup",
    "authentication-tolerate-lookup-failure",
  ],
};

const secrets: ClusterSecrets = {
  rootCa: () => "",
  tokenSigner: () => {
    throw new Error("nothing is signed here");
  },
};

/** A value that no other flag has; `undefined` for flags that are no numbers. */
function ownValue({ flag }: FlagEntry, index: number): { text: string; value: number } | undefined {
  if (flag.type.name === "duration") return { text: `${index + 100}s`, value: (index + 100) * 1_000 };
  // Some must be from 1 to 50.
  if (flag.type.name.startsWith("int")) return { text: String(index + 3), value: index + 3 };
  if (flag.type.name.startsWith("float")) return { text: `${index}.5`, value: index + 0.5 };
  return undefined;
}

/** Of one controller, though they stand among those of all. */
const AMONG_GENERIC = "node-monitor-period";
const controllerFlags = allFlags.filter(
  ({ group, flag }) =>
    (flagGroups[group].title.endsWith("controller") || flag.name === AMONG_GENERIC) &&
    flag.unused === undefined,
);
const numbers = controllerFlags.flatMap((entry, index) => {
  const own = ownValue(entry, index);
  return own === undefined ? [] : [{ ...own, name: entry.flag.name }];
});

function numberOf(flag: string | undefined): number | undefined {
  return numbers.find(({ name }) => name === flag)?.value;
}

const authority = signingFiles(authorityPair({ nowMs: realClock.nowMs() }));
afterAll(() => authority.remove());

/** Everything that flags switch on is on. */
const EVERYTHING = [
  "--allocate-node-cidrs",
  "--cluster-cidr=10.0.0.0/16",
  `--cluster-signing-cert-file=${authority.certFile}`,
  `--cluster-signing-key-file=${authority.keyFile}`,
];

function optionsWithOwnValues(isWanted = (_name: string): boolean => true): Options {
  const flags = numbers.filter(({ name }) => isWanted(name)).map(({ name, text }) => `--${name}=${text}`);
  return resolveOptions([...EVERYTHING, ...flags], () => "").options;
}

test("every number that a flag gives arrives where it belongs, and nowhere else", () => {
  const nameOf = new Map(numbers.map(({ name, value }) => [value, name]));
  expect(nameOf.size).toBe(numbers.length);
  const received = registryEntries(optionsWithOwnValues(), secrets).map(({ descriptor, settings }) => {
    const values = Object.entries(settings ?? {}).filter(([, value]) => typeof value === "number");
    return [
      descriptor.name,
      Object.fromEntries(values.map(([key, value]) => [key, nameOf.get(value as number)])),
    ];
  });
  expect(
    Object.fromEntries(received.filter(([, settings]) => Object.keys(settings as object).length > 0)),
  ).toEqual(SETTINGS);
  const used = new Set(Object.values(SETTINGS).flatMap((settings) => Object.values(settings)));
  expect(numbers.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
});

test("each work queue has the workers of its controller's flag", async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = embeddedServer({
    clock,
    random,
    kinds: allKinds,
    runtimeConfig: [
      "certificates.k8s.io/v1beta1",
      "internal.apiserver.k8s.io/v1alpha1",
      "resource.k8s.io/v1alpha3",
      "scheduling.k8s.io/v1alpha2",
      "storagemigration.k8s.io/v1beta1",
    ],
  });
  const set = new ControllerSet({
    // Prefixes of three lengths do not go together.
    descriptors: registryEntries(
      optionsWithOwnValues((name) => !name.startsWith("node-cidr-mask-size")),
      {
        ...secrets,
        tokenSigner: () => ({ sign: async () => "" }) as never,
      },
    ).map(({ descriptor }) => descriptor),
    clients: clientBuilder({
      transports: sharedTransports(new DirectTransport(server)),
      clock,
      log: silentLogger,
      metrics: noMetrics,
      host: "embedded",
      userAgent: "test",
      qps: -1,
      burst: 1,
    }),
    gate: openGate,
    clock,
    random,
    log: silentLogger,
    metrics: noMetrics,
    features: featureGates({
      ClusterTrustBundle: true,
      DRAResourcePoolStatus: true,
      GenericWorkload: true,
      PodCertificateRequest: true,
      StorageVersionAPI: true,
      StorageVersionMigrator: true,
    }),
    name: "test",
  });
  const stop = new AbortController();
  let ended = false;
  const running = set.run(stop.signal).finally(() => (ended = true));
  await clock.advanceBy(60_000);
  const alive = [...set.health()].flatMap(([controller, health]) =>
    Object.entries(health?.pools ?? {}).map(([queue, { workersAlive }]) => ({
      queue,
      workersAlive,
      wanted: FIXED_WORKERS[queue.replace(/ \(.*\)$/, "")] ?? numberOf(SETTINGS[controller]?.["workers"]),
    })),
  );
  stop.abort();
  await clock.runUntil(() => ended, 60_000);
  await running;
  expect(alive.map(({ queue, workersAlive }) => [queue, workersAlive])).toEqual(
    alive.map(({ queue, wanted }) => [queue, wanted]),
  );
  const controllers = new Set(set.health().keys());
  expect(Object.keys(SETTINGS).filter((name) => !controllers.has(name))).toEqual([]);
  expect(alive.length).toBeGreaterThan(controllers.size);
});

test("--enable-garbage-collector=false leaves the garbage collector out, and only that", () => {
  const names = (...flags: string[]): readonly string[] =>
    registryEntries(resolveOptions(flags, () => "").options, secrets).map(
      ({ descriptor }) => descriptor.name,
    );
  const without = names("--enable-garbage-collector=false");
  expect(names().filter((name) => !without.includes(name))).toEqual(["garbage-collector-controller"]);
  const migrator = (...flags: string[]) =>
    registryEntries(resolveOptions(flags, () => "").options, secrets).find(
      ({ descriptor }) => descriptor.name === "storage-version-migrator-controller",
    )?.descriptor;
  expect(migrator("--enable-garbage-collector=false")?.checkSettings).toThrow("requires garbage collector");
  expect(migrator()?.checkSettings).not.toThrow();
  const { skipped } = selectControllers(
    ["*"],
    knownControllers,
    (name) => without.includes(name),
    featureGates(),
  );
  expect(skipped).toContainEqual({
    name: "garbage-collector-controller",
    reason: "--enable-garbage-collector is false",
  });
});

test("ranges of Nodes are given out with --allocate-node-cidrs alone, from the ranges of the other flags", () => {
  const settingsOf = (...flags: string[]): unknown =>
    registryEntries(resolveOptions(flags, () => "").options, secrets).find(
      ({ descriptor }) => descriptor.name === "node-ipam-controller",
    )?.settings;
  const ranges = [
    "--cluster-cidr=10.0.0.0/16,fd00::/48",
    "--service-cluster-ip-range=10.96.0.0/16,fd01::/112",
  ];
  expect(settingsOf(...ranges)).toBeUndefined();
  expect(settingsOf(...ranges, "--allocate-node-cidrs", "--cidr-allocator-type=")).toMatchObject({
    clusterCidr: "10.0.0.0/16,fd00::/48",
    serviceClusterIpRange: "10.96.0.0/16,fd01::/112",
    allocatorType: "",
  });
  expect(settingsOf("--allocate-node-cidrs")).toMatchObject({ allocatorType: "RangeAllocator" });
});

test.each([
  [[], { isCompared: true, disableForceDetachOnTimeout: false }],
  [["--disable-attach-detach-reconcile-sync"], { isCompared: false, disableForceDetachOnTimeout: false }],
  [["--disable-force-detach-on-timeout"], { isCompared: true, disableForceDetachOnTimeout: true }],
])("with %j volumes are compared, and detached by force, as that says: %o", (flags, expected) => {
  const settings = registryEntries(resolveOptions(flags, () => "").options, secrets).find(
    ({ descriptor }) => descriptor.name === "persistentvolume-attach-detach-controller",
  )?.settings;
  expect(settings).toEqual(expected);
});

test("claims are handed to provisioners, and directories are provisioned, as the flags say", () => {
  const settingsOf = (...flags: string[]): unknown =>
    registryEntries(resolveOptions(flags, () => "").options, secrets).find(
      ({ descriptor }) => descriptor.name === "persistentvolume-binder-controller",
    )?.settings;
  expect(settingsOf()).toMatchObject({ provisions: true, provisionsHostPaths: false });
  expect(settingsOf("--enable-dynamic-provisioning=false", "--enable-hostpath-provisioner")).toMatchObject({
    provisions: false,
    provisionsHostPaths: true,
  });
});

test("each controller of the registry is known, and each that has flags is in it", () => {
  const built = new Set(
    registryEntries(resolveOptions(EVERYTHING, () => "").options, secrets).map(
      ({ descriptor }) => descriptor.name,
    ),
  );
  const known = new Set(knownControllers.map(({ name }) => name));
  expect([...built].filter((name) => !known.has(name))).toEqual([]);
  const titles = Object.values(flagGroups).map(({ title }: FlagGroup<object>) => title.toLowerCase());
  const ofControllers = titles.filter((name) => known.has(name) && name !== "service-lb-controller");
  expect(ofControllers.length).toBeGreaterThan(20);
  expect(ofControllers.filter((name) => !built.has(name))).toEqual([]);
});

test("every flag has an effect that a test would miss, or says that it has none", () => {
  const withEffect = allFlags.filter(({ flag }) => flag.unused === undefined).map(({ flag }) => flag.name);
  const tested = [
    ...Object.values(SETTINGS).flatMap((settings) => Object.values(settings)),
    ...Object.values(ELSEWHERE).flat(),
  ];
  expect(tested.toSorted()).toEqual(withEffect.toSorted());
  const root = new URL("../../", import.meta.url);
  for (const [file, flags] of Object.entries(ELSEWHERE)) {
    const text = readFileSync(new URL(file, root), "utf8");
    for (const flag of flags) expect(text, `${file}: --${flag}`).toMatch(new RegExp(`--?${flag}\\b`));
  }
});

test.each([true, false])("autoscalers are told whether they count owned pods only: %s", (ownedPodsOnly) => {
  const flag = `--horizontal-pod-autoscaler-owned-pods-only=${ownedPodsOnly}`;
  const { options } = resolveOptions([flag], () => "");
  const entry = registryEntries(options, secrets).find(({ descriptor }) =>
    descriptor.name.startsWith("horizontal-pod-autoscaler"),
  );
  expect(entry?.settings).toMatchObject({ ownedPodsOnly });
});
