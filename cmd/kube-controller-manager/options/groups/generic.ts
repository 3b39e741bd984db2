import { bool, ofType, duration, float32, int32, list, text } from "../flag.ts";
import { gatesType } from "../flag-types.ts";

const NO_CLOUD = "cloud integration is not part of this program";
const ONE_VERSION = "this program behaves as v1.36 only";

export const debugging = {
  title: "Debugging",
  flags: {
    contentionProfiling: bool("contention-profiling", false, "Profile blocking, when profiling is on.", {
      config: "Generic.Debugging.enableContentionProfiling",
      unused: "one thread has no lock contention",
    }),
    profiling: bool("profiling", true, "Serve sampled profiles of CPU and heap under /debug/pprof/.", {
      config: "Generic.Debugging.enableProfiling",
    }),
  },
};

export const leaderMigration = {
  title: "Leader-migration",
  flags: {
    enabled: bool("enable-leader-migration", false, "Take part in leader migration.", {
      config: "Generic.LeaderMigrationEnabled",
    }),
    configFile: text(
      "leader-migration-config",
      "",
      "File of kind LeaderMigrationConfiguration; the built-in default when empty.",
    ),
  },
};

const leaderElection = {
  leaderElect: bool("leader-elect", true, "Do nothing until this process holds the Lease.", {
    config: "Generic.LeaderElection.leaderElect",
  }),
  leaseDurationMs: duration(
    "leader-elect-lease-duration",
    15_000,
    "How long others wait, after the last renewal they saw, before they take the Lease.",
    { config: "Generic.LeaderElection.leaseDuration" },
  ),
  renewDeadlineMs: duration(
    "leader-elect-renew-deadline",
    10_000,
    "How long the leader tries to renew before it gives up; less than the lease duration.",
    { config: "Generic.LeaderElection.renewDeadline" },
  ),
  retryPeriodMs: duration(
    "leader-elect-retry-period",
    2_000,
    "Time between two tries to take or renew the Lease.",
    {
      config: "Generic.LeaderElection.retryPeriod",
    },
  ),
  resourceLock: text("leader-elect-resource-lock", "leases", "Kind of the lock; only 'leases'.", {
    config: "Generic.LeaderElection.resourceLock",
  }),
  resourceName: text("leader-elect-resource-name", "kube-controller-manager", "Name of the Lease.", {
    config: "Generic.LeaderElection.resourceName",
  }),
  resourceNamespace: text("leader-elect-resource-namespace", "kube-system", "Namespace of the Lease.", {
    config: "Generic.LeaderElection.resourceNamespace",
  }),
};

const cloud = {
  allocateNodeCidrs: bool(
    "allocate-node-cidrs",
    false,
    "Give every Node a range of Pod addresses; needs --cluster-cidr.",
    { config: "KubeCloudShared.AllocateNodeCIDRs" },
  ),
  cidrAllocatorType: text(
    "cidr-allocator-type",
    "RangeAllocator",
    "Allocator of Node ranges; only RangeAllocator.",
    {
      config: "KubeCloudShared.CIDRAllocatorType",
    },
  ),
  cloudConfig: text("cloud-config", "", "File with the settings of the cloud provider.", {
    config: "KubeCloudShared.CloudProvider.CloudConfigFile",
    unused: NO_CLOUD,
  }),
  cloudProvider: text("cloud-provider", "", "Empty, or 'external'.", {
    config: "KubeCloudShared.CloudProvider.Name",
    unused: NO_CLOUD,
  }),
  clusterCidr: text(
    "cluster-cidr",
    "",
    "One range of Pod addresses, or two (dual-stack), joined by a comma.",
    {
      config: "KubeCloudShared.ClusterCIDR",
    },
  ),
  clusterName: text("cluster-name", "kubernetes", "Prefix of names made for this cluster.", {
    config: "KubeCloudShared.ClusterName",
    unused: NO_CLOUD,
  }),
  configureCloudRoutes: bool("configure-cloud-routes", true, "Set up routes for Node ranges in the cloud.", {
    config: "KubeCloudShared.ConfigureCloudRoutes",
    unused: NO_CLOUD,
  }),
  externalCloudVolumePlugin: text("external-cloud-volume-plugin", "", "Volume plugin of an external cloud.", {
    config: "KubeCloudShared.ExternalCloudVolumePlugin",
    unused: NO_CLOUD,
  }),
  nodeMonitorPeriodMs: duration(
    "node-monitor-period",
    5_000,
    "Period in which the health of Nodes is looked at.",
    {
      config: "KubeCloudShared.NodeMonitorPeriod",
    },
  ),
  routeReconciliationPeriodMs: duration(
    "route-reconciliation-period",
    10_000,
    "Period of cloud route syncs.",
    {
      config: "KubeCloudShared.RouteReconciliationPeriod",
      unused: NO_CLOUD,
    },
  ),
  useServiceAccountCredentials: bool(
    "use-service-account-credentials",
    false,
    "Each controller acts as its own ServiceAccount in kube-system.",
    { config: "KubeCloudShared.UseServiceAccountCredentials" },
  ),
  allowUntaggedCloud: bool("allow-untagged-cloud", false, "No effect.", {
    config: "KubeCloudShared.AllowUntaggedCloud",
    unused: NO_CLOUD,
    hidden: true,
  }),
  nodeSyncPeriodMs: duration("node-sync-period", 0, "No effect.", {
    config: "KubeCloudShared.NodeSyncPeriod",
    unused: "it had no effect in v1.36 either",
    hidden: true,
  }),
};

export const generic = {
  title: "Generic",
  flags: {
    ...cloud,
    controllerShutdownTimeoutMs: duration(
      "controller-shutdown-timeout",
      10_000,
      "How long controllers may take to end their work at shutdown; 0 means no limit.",
    ),
    controllerStartIntervalMs: duration(
      "controller-start-interval",
      0,
      "Spread the start of controllers over time.",
      {
        config: "Generic.ControllerStartInterval",
      },
    ),
    controllers: list(
      "controllers",
      ["*"],
      "Controllers to run: '*' is all that are on by default, 'foo' switches foo on, '-foo' switches it off; the first match decides.",
      { config: "Generic.Controllers" },
    ),
    emulatedVersion: list("emulated-version", [], "Version to behave as, kube=1.33..1.36.", {
      unused: ONE_VERSION,
    }),
    minCompatibilityVersion: list(
      "min-compatibility-version",
      [],
      "Oldest control plane version to work with.",
      {
        unused: ONE_VERSION,
      },
    ),
    featureGates: ofType(gatesType)(
      "feature-gates",
      {},
      "Features to switch: Name=true|false, joined by commas.",
    ),
    kubeApiBurst: int32(
      "kube-api-burst",
      30,
      "Requests that a client may send at once above its rate; 0 means 10.",
      {
        config: "Generic.ClientConnection.burst",
      },
    ),
    kubeApiContentType: text(
      "kube-api-content-type",
      "application/vnd.kubernetes.protobuf",
      "Content type of requests to the API server.",
      { config: "Generic.ClientConnection.contentType", unused: "requests are always JSON" },
    ),
    kubeApiQps: float32(
      "kube-api-qps",
      20,
      "Requests a second that each client may send; 0 means 5, below 0 lifts the limit.",
      {
        config: "Generic.ClientConnection.qps",
      },
    ),
    minResyncPeriodMs: duration(
      "min-resync-period",
      12 * 3_600_000,
      "Caches hand all objects to their controllers again after one to two times this period.",
      { config: "Generic.MinResyncPeriod" },
    ),
    ...leaderElection,
  },
};
