import { bool, duration, int32, text, type Flag } from "../flag.ts";
import { concurrency } from "./workloads.ts";

const SIGNING = "CSRSigningController";

function signerFile(signer: string, half: "cert" | "key", config: string): Flag<string> {
  const what = half === "cert" ? "CA certificate" : "private key of the CA";
  return text(
    `cluster-signing-${signer}-${half}-file`,
    "",
    `File with the ${what} of the signer kubernetes.io/${SIGNER_NAMES[signer] ?? signer}; not with --cluster-signing-${half}-file.`,
    { config: `${SIGNING}.${config}.${half === "cert" ? "CertFile" : "KeyFile"}` },
  );
}

const SIGNER_NAMES: Readonly<Record<string, string>> = { "kubelet-client": "kube-apiserver-client-kubelet" };

export const csrSigning = {
  title: "Certificatesigningrequest-signing-controller",
  flags: {
    certFile: text("cluster-signing-cert-file", "", "File with the CA certificate of every signer.", {
      config: `${SIGNING}.ClusterSigningCertFile`,
    }),
    durationMs: duration(
      "cluster-signing-duration",
      8_760 * 3_600_000,
      "How long signed certificates live at the most.",
      {
        config: `${SIGNING}.ClusterSigningDuration`,
      },
    ),
    keyFile: text("cluster-signing-key-file", "", "File with the private key of the CA of every signer.", {
      config: `${SIGNING}.ClusterSigningKeyFile`,
    }),
    kubeApiserverClientCertFile: signerFile(
      "kube-apiserver-client",
      "cert",
      "KubeAPIServerClientSignerConfiguration",
    ),
    kubeApiserverClientKeyFile: signerFile(
      "kube-apiserver-client",
      "key",
      "KubeAPIServerClientSignerConfiguration",
    ),
    kubeletClientCertFile: signerFile("kubelet-client", "cert", "KubeletClientSignerConfiguration"),
    kubeletClientKeyFile: signerFile("kubelet-client", "key", "KubeletClientSignerConfiguration"),
    kubeletServingCertFile: signerFile("kubelet-serving", "cert", "KubeletServingSignerConfiguration"),
    kubeletServingKeyFile: signerFile("kubelet-serving", "key", "KubeletServingSignerConfiguration"),
    legacyUnknownCertFile: signerFile("legacy-unknown", "cert", "LegacyUnknownSignerConfiguration"),
    legacyUnknownKeyFile: signerFile("legacy-unknown", "key", "LegacyUnknownSignerConfiguration"),
  },
};

export const garbageCollector = {
  title: "Garbage-collector-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-gc-syncs",
      20,
      "Objects",
      "GarbageCollectorController.ConcurrentGCSyncs",
    ),
    enabled: bool(
      "enable-garbage-collector",
      true,
      "Run the garbage collector; must equal the API server's setting.",
      {
        config: "GarbageCollectorController.EnableGarbageCollector",
      },
    ),
  },
};

export const namespace = {
  title: "Namespace-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-namespace-syncs",
      10,
      "Namespaces",
      "NamespaceController.ConcurrentNamespaceSyncs",
    ),
    syncPeriodMs: duration(
      "namespace-sync-period",
      300_000,
      "Period in which every Namespace is looked at again.",
      {
        config: "NamespaceController.NamespaceSyncPeriod",
      },
    ),
  },
};

export const resourceQuota = {
  title: "Resourcequota-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-resource-quota-syncs",
      5,
      "ResourceQuotas",
      "ResourceQuotaController.ConcurrentResourceQuotaSyncs",
    ),
    syncPeriodMs: duration("resource-quota-sync-period", 300_000, "Period of full recounts.", {
      config: "ResourceQuotaController.ResourceQuotaSyncPeriod",
    }),
  },
};

export const serviceAccount = {
  title: "Serviceaccount-controller",
  flags: {
    concurrentTokenSyncs: int32(
      "concurrent-serviceaccount-token-syncs",
      5,
      "ServiceAccounts and token Secrets that are worked on at the same time.",
      { config: "SAController.ConcurrentSATokenSyncs" },
    ),
    rootCaFile: text("root-ca-file", "", "CA bundle that token Secrets and every Namespace get.", {
      config: "SAController.RootCAFile",
    }),
    privateKeyFile: text(
      "service-account-private-key-file",
      "",
      "RSA or ECDSA key that signs token Secrets; without it there are none.",
      { config: "SAController.ServiceAccountKeyFile" },
    ),
  },
};

export const legacyTokenCleaner = {
  title: "Legacy-serviceaccount-token-cleaner-controller",
  flags: {
    cleanUpPeriodMs: duration(
      "legacy-service-account-token-clean-up-period",
      8_760 * 3_600_000,
      "How long a generated token Secret may be unused before it is deleted.",
      { config: "LegacySATokenCleaner.CleanUpPeriod" },
    ),
  },
};

export const admissionPolicyStatus = {
  title: "Validatingadmissionpolicy-status-controller",
  flags: {
    concurrentSyncs: concurrency(
      "concurrent-validating-admission-policy-status-syncs",
      5,
      "ValidatingAdmissionPolicies",
      "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
    ),
  },
};
