/** The flags of kube-controller-manager v1.36: group, name, type, default as --help shows them. */
export const UPSTREAM_FLAGS = `
Debugging|contention-profiling|bool|false
Debugging|profiling|bool|true
Leader-migration|enable-leader-migration|bool|false
Leader-migration|leader-migration-config|string|
Generic|allocate-node-cidrs|bool|false
Generic|cidr-allocator-type|string|RangeAllocator
Generic|cloud-config|string|
Generic|cloud-provider|string|
Generic|cluster-cidr|string|
Generic|cluster-name|string|kubernetes
Generic|configure-cloud-routes|bool|true
Generic|controller-shutdown-timeout|duration|10s
Generic|controller-start-interval|duration|0s
Generic|controllers|strings|[*]
Generic|emulated-version|strings|[]
Generic|external-cloud-volume-plugin|string|
Generic|feature-gates|colonSeparatedMultimapStringString|
Generic|kube-api-burst|int32|30
Generic|kube-api-content-type|string|application/vnd.kubernetes.protobuf
Generic|kube-api-qps|float32|20
Generic|leader-elect|bool|true
Generic|leader-elect-lease-duration|duration|15s
Generic|leader-elect-renew-deadline|duration|10s
Generic|leader-elect-resource-lock|string|leases
Generic|leader-elect-resource-name|string|kube-controller-manager
Generic|leader-elect-resource-namespace|string|kube-system
Generic|leader-elect-retry-period|duration|2s
Generic|min-compatibility-version|strings|[]
Generic|min-resync-period|duration|12h0m0s
Generic|node-monitor-period|duration|5s
Generic|route-reconciliation-period|duration|10s
Generic|use-service-account-credentials|bool|false
Service-lb-controller|concurrent-service-syncs|int32|1
Secure serving|bind-address|ip|0.0.0.0
Secure serving|cert-dir|string|
Secure serving|disable-http2-serving|bool|false
Secure serving|http2-max-streams-per-connection|int|0
Secure serving|permit-address-sharing|bool|false
Secure serving|permit-port-sharing|bool|false
Secure serving|secure-port|int|10257
Secure serving|tls-cert-file|string|
Secure serving|tls-cipher-suites|strings|[]
Secure serving|tls-curve-preferences|int32Slice|[]
Secure serving|tls-min-version|string|
Secure serving|tls-private-key-file|string|
Secure serving|tls-sni-cert-key|namedCertKey|[]
Authentication|authentication-kubeconfig|string|
Authentication|authentication-skip-lookup|bool|false
Authentication|authentication-token-webhook-cache-ttl|duration|10s
Authentication|authentication-tolerate-lookup-failure|bool|false
Authentication|client-ca-file|string|
Authentication|requestheader-allowed-names|strings|[]
Authentication|requestheader-client-ca-file|string|
Authentication|requestheader-extra-headers-prefix|strings|[x-remote-extra-]
Authentication|requestheader-group-headers|strings|[x-remote-group]
Authentication|requestheader-uid-headers|strings|[]
Authentication|requestheader-username-headers|strings|[x-remote-user]
Authorization|authorization-always-allow-paths|strings|[/healthz,/readyz,/livez]
Authorization|authorization-kubeconfig|string|
Authorization|authorization-webhook-cache-authorized-ttl|duration|10s
Authorization|authorization-webhook-cache-unauthorized-ttl|duration|10s
Persistentvolume-attach-detach-controller|attach-detach-reconcile-sync-period|duration|1m0s
Persistentvolume-attach-detach-controller|disable-attach-detach-reconcile-sync|bool|false
Persistentvolume-attach-detach-controller|disable-force-detach-on-timeout|bool|false
Certificatesigningrequest-signing-controller|cluster-signing-cert-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-duration|duration|8760h0m0s
Certificatesigningrequest-signing-controller|cluster-signing-key-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-kube-apiserver-client-cert-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-kube-apiserver-client-key-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-kubelet-client-cert-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-kubelet-client-key-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-kubelet-serving-cert-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-kubelet-serving-key-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-legacy-unknown-cert-file|string|
Certificatesigningrequest-signing-controller|cluster-signing-legacy-unknown-key-file|string|
Deployment-controller|concurrent-deployment-syncs|int32|5
Device-taint-eviction-controller|concurrent-device-taint-eviction-syncs|int32|8
Resourceclaim-controller|concurrent-resourceclaim-syncs|int32|50
Statefulset-controller|concurrent-statefulset-syncs|int32|5
Daemonset-controller|concurrent-daemonset-syncs|int32|2
Endpoints-controller|concurrent-endpoint-syncs|int32|5
Endpoints-controller|endpoint-updates-batch-period|duration|0s
Endpointslice-controller|concurrent-service-endpoint-syncs|int32|5
Endpointslice-controller|endpointslice-updates-batch-period|duration|0s
Endpointslice-controller|max-endpoints-per-slice|int32|100
Endpointslice-mirroring-controller|mirroring-concurrent-service-endpoint-syncs|int32|5
Endpointslice-mirroring-controller|mirroring-endpointslice-updates-batch-period|duration|0s
Endpointslice-mirroring-controller|mirroring-max-endpoints-per-subset|int32|1000
Ephemeral-volume-controller|concurrent-ephemeralvolume-syncs|int32|5
Garbage-collector-controller|concurrent-gc-syncs|int32|20
Garbage-collector-controller|enable-garbage-collector|bool|true
Horizontal-pod-autoscaler-controller|concurrent-horizontal-pod-autoscaler-syncs|int32|5
Horizontal-pod-autoscaler-controller|horizontal-pod-autoscaler-cpu-initialization-period|duration|5m0s
Horizontal-pod-autoscaler-controller|horizontal-pod-autoscaler-downscale-stabilization|duration|5m0s
Horizontal-pod-autoscaler-controller|horizontal-pod-autoscaler-initial-readiness-delay|duration|30s
Horizontal-pod-autoscaler-controller|horizontal-pod-autoscaler-sync-period|duration|15s
Horizontal-pod-autoscaler-controller|horizontal-pod-autoscaler-tolerance|float|0.1
Job-controller|concurrent-job-syncs|int32|5
Cronjob-controller|concurrent-cron-job-syncs|int32|5
Legacy-serviceaccount-token-cleaner-controller|legacy-service-account-token-clean-up-period|duration|8760h0m0s
Namespace-controller|concurrent-namespace-syncs|int32|10
Namespace-controller|namespace-sync-period|duration|5m0s
Node-ipam-controller|node-cidr-mask-size|int32|0
Node-ipam-controller|node-cidr-mask-size-ipv4|int32|0
Node-ipam-controller|node-cidr-mask-size-ipv6|int32|0
Node-ipam-controller|service-cluster-ip-range|string|
Node-lifecycle-controller|large-cluster-size-threshold|int32|50
Node-lifecycle-controller|node-eviction-rate|float32|0.1
Node-lifecycle-controller|node-monitor-grace-period|duration|50s
Node-lifecycle-controller|node-startup-grace-period|duration|1m0s
Node-lifecycle-controller|secondary-node-eviction-rate|float32|0.01
Node-lifecycle-controller|unhealthy-zone-threshold|float32|0.55
Persistentvolume-binder-controller|enable-dynamic-provisioning|bool|true
Persistentvolume-binder-controller|enable-hostpath-provisioner|bool|false
Persistentvolume-binder-controller|flex-volume-plugin-dir|string|/usr/libexec/kubernetes/kubelet-plugins/volume/exec/
Persistentvolume-binder-controller|pv-recycler-increment-timeout-nfs|int32|30
Persistentvolume-binder-controller|pv-recycler-minimum-timeout-hostpath|int32|60
Persistentvolume-binder-controller|pv-recycler-minimum-timeout-nfs|int32|300
Persistentvolume-binder-controller|pv-recycler-pod-template-filepath-hostpath|string|
Persistentvolume-binder-controller|pv-recycler-pod-template-filepath-nfs|string|
Persistentvolume-binder-controller|pv-recycler-timeout-increment-hostpath|int32|30
Persistentvolume-binder-controller|pvclaimbinder-sync-period|duration|15s
Pod-garbage-collector-controller|terminated-pod-gc-threshold|int32|12500
Replicaset-controller|concurrent-replicaset-syncs|int32|5
Replicationcontroller-controller|concurrent-rc-syncs|int32|5
Resourcequota-controller|concurrent-resource-quota-syncs|int32|5
Resourcequota-controller|resource-quota-sync-period|duration|5m0s
Serviceaccount-controller|concurrent-serviceaccount-token-syncs|int32|5
Serviceaccount-controller|root-ca-file|string|
Serviceaccount-controller|service-account-private-key-file|string|
Ttl-after-finished-controller|concurrent-ttl-after-finished-syncs|int32|5
Validatingadmissionpolicy-status-controller|concurrent-validating-admission-policy-status-syncs|int32|5
Metrics|allow-metric-labels|stringToString|[]
Metrics|allow-metric-labels-manifest|string|
Metrics|disabled-metrics|strings|[]
Metrics|show-hidden-metrics-for-version|string|
Logs|log-flush-frequency|duration|5s
Logs|log-json-info-buffer-size|quantity|0
Logs|log-json-split-stream|bool|false
Logs|log-text-info-buffer-size|quantity|0
Logs|log-text-split-stream|bool|false
Logs|logging-format|string|text
Logs|v|Level|0
Logs|vmodule|pattern=N,...|
Misc|kubeconfig|string|
Misc|master|string|
Global|help|bool|false
Global|version|version|false
`;
