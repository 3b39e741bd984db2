import type { Options } from "./options.ts";

/**
 * What is wrong with these options taken together; empty when they can be used. Each text names the flag.
 * Names of controllers are checked by the registry, files by whoever reads them.
 */
export function validateOptions(options: Options): readonly string[] {
  return [
    ...bounds(options),
    ...choices(options),
    ...serving(options),
    ...signing(options),
    ...serviceRanges(options),
    ...leaderElection(options),
  ];
}

function bounds(options: Options): string[] {
  const problems: string[] = [];
  const within = (flag: string, value: number, low: number, high: number): void => {
    if (value < low || value > high)
      problems.push(`--${flag} must be from ${low} to ${high}, but is ${value}`);
  };
  const atLeast = (flag: string, value: number, low: number): void => {
    if (value < low) problems.push(`--${flag} must be at least ${low}, but is ${value}`);
  };
  within("concurrent-service-endpoint-syncs", options.endpointSlice.concurrentSyncs, 1, 50);
  within("max-endpoints-per-slice", options.endpointSlice.maxEndpointsPerSlice, 1, 1_000);
  within(
    "mirroring-concurrent-service-endpoint-syncs",
    options.endpointSliceMirroring.concurrentSyncs,
    1,
    50,
  );
  within(
    "mirroring-max-endpoints-per-subset",
    options.endpointSliceMirroring.maxEndpointsPerSubset,
    1,
    1_000,
  );
  atLeast("concurrent-horizontal-pod-autoscaler-syncs", options.horizontalPodAutoscaler.concurrentSyncs, 1);
  atLeast("concurrent-device-taint-eviction-syncs", options.deviceTaintEviction.concurrentSyncs, 1);
  atLeast("concurrent-resourceclaim-syncs", options.resourceClaim.concurrentSyncs, 1);
  within("secure-port", options.secureServing.securePort, 0, 65_535);
  if (options.attachDetach.reconcileSyncPeriodMs < 1_000) {
    problems.push("--attach-detach-reconcile-sync-period must be at least 1s");
  }
  if (options.generic.controllerShutdownTimeoutMs < 0) {
    problems.push("--controller-shutdown-timeout must not be negative");
  }
  if (options.legacyTokenCleaner.cleanUpPeriodMs <= 0) {
    problems.push("--legacy-service-account-token-clean-up-period must be greater than 0");
  }
  return problems;
}

function choices(options: Options): string[] {
  const problems: string[] = [];
  const oneOf = (flag: string, value: string, allowed: readonly string[]): void => {
    if (allowed.includes(value)) return;
    const names = allowed.filter((name) => name !== "").join(", ");
    problems.push(
      `--${flag} must be ${allowed.length > 2 ? "one of " : ""}${names}, but is ${JSON.stringify(value)}`,
    );
  };
  oneOf("cloud-provider", options.generic.cloudProvider, ["", "external"]);
  const { cidrAllocatorType } = options.generic;
  if (!["", "RangeAllocator"].includes(cidrAllocatorType)) {
    problems.push(
      `--cidr-allocator-type: built-in cloud providers are disabled. The ipam ${cidrAllocatorType} is not available`,
    );
  }
  oneOf("leader-elect-resource-lock", options.generic.resourceLock, ["leases"]);
  oneOf("logging-format", options.logs.format, ["text", "json"]);
  const versions = ["", "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"];
  oneOf("tls-min-version", options.secureServing.tlsMinVersion, versions);
  if (options.logs.format === "json" && options.logs.modules !== "") {
    problems.push("--vmodule works with --logging-format=text only");
  }
  for (const [flag, values] of [
    ["emulated-version", options.generic.emulatedVersion],
    ["min-compatibility-version", options.generic.minCompatibilityVersion],
  ] as const) {
    for (const value of values) {
      if (!/^(kube=)?1\.3[3-6]$/.test(value))
        problems.push(`--${flag} must be kube=1.33 to kube=1.36, but is ${value}`);
    }
  }
  return problems;
}

function serving(options: Options): string[] {
  const { tlsCertFile, tlsPrivateKeyFile, http2MaxStreams } = options.secureServing;
  const problems: string[] = [];
  if ((tlsCertFile === "") !== (tlsPrivateKeyFile === "")) {
    problems.push("--tls-cert-file and --tls-private-key-file must be given together");
  }
  if (http2MaxStreams < 0) problems.push("--http2-max-streams-per-connection must not be negative");
  const { requestheaderUsernameHeaders, requestheaderGroupHeaders, requestheaderExtraHeadersPrefix } =
    options.authentication;
  for (const [flag, values] of [
    ["requestheader-username-headers", requestheaderUsernameHeaders],
    ["requestheader-group-headers", requestheaderGroupHeaders],
    ["requestheader-extra-headers-prefix", requestheaderExtraHeadersPrefix],
  ] as const) {
    if (values.some((value) => value.trim() === "")) problems.push(`--${flag} has an empty value`);
  }
  for (const path of options.authorization.alwaysAllowPaths) {
    if (/\*./.test(path))
      problems.push(`--authorization-always-allow-paths: ${path} has a * that is not at its end`);
  }
  return problems;
}

function signing(options: Options): string[] {
  const signer = options.csrSigning;
  const pairs = [
    ["cluster-signing", signer.certFile, signer.keyFile],
    [
      "cluster-signing-kube-apiserver-client",
      signer.kubeApiserverClientCertFile,
      signer.kubeApiserverClientKeyFile,
    ],
    ["cluster-signing-kubelet-client", signer.kubeletClientCertFile, signer.kubeletClientKeyFile],
    ["cluster-signing-kubelet-serving", signer.kubeletServingCertFile, signer.kubeletServingKeyFile],
    ["cluster-signing-legacy-unknown", signer.legacyUnknownCertFile, signer.legacyUnknownKeyFile],
  ] as const;
  const problems: string[] = [];
  for (const [prefix, cert, key] of pairs) {
    if ((cert === "") !== (key === "")) {
      problems.push(`--${prefix}-cert-file and --${prefix}-key-file must be given together`);
    }
  }
  const [everySigner, ...oneSigner] = pairs;
  const used = ([, cert, key]: (typeof pairs)[number]): boolean => cert !== "" || key !== "";
  if (used(everySigner) && oneSigner.some(used)) {
    problems.push(
      "--cluster-signing-cert-file and --cluster-signing-key-file cannot be used with the files of one signer",
    );
  }
  return problems;
}

function serviceRanges(options: Options): string[] {
  if (options.nodeIpam.serviceClusterIpRange.split(",").length <= 2) return [];
  return ["--service-cluster-ip-range can not contain more than two entries"];
}

function leaderElection(options: Options): string[] {
  const { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, resourceName, resourceNamespace } =
    options.generic;
  if (!leaderElect) return [];
  const problems: string[] = [];
  if (leaseDurationMs <= 0) problems.push("--leader-elect-lease-duration must be greater than 0");
  if (renewDeadlineMs <= 0) problems.push("--leader-elect-renew-deadline must be greater than 0");
  if (retryPeriodMs <= 0) problems.push("--leader-elect-retry-period must be greater than 0");
  if (leaseDurationMs <= renewDeadlineMs) {
    problems.push("--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline");
  }
  if (renewDeadlineMs <= retryPeriodMs * 1.2) {
    problems.push("--leader-elect-renew-deadline must be greater than 1.2 times --leader-elect-retry-period");
  }
  if (resourceName === "") problems.push("--leader-elect-resource-name must not be empty");
  if (resourceNamespace === "") problems.push("--leader-elect-resource-namespace must not be empty");
  return problems;
}
