/**
 * The feature gates that kube-controller-manager v1.36 knows: name, stage, default, and whether that is locked.
 * Gates of the API server and of client libraries are among them, as they share one namespace of names.
 */
export const FEATURE_GATE_TABLE = `
  APIResponseCompression BETA on
  APIServerIdentity BETA on
  APIServerTracing GA on locked
  APIServingWithRoutine ALPHA off
  AggregatedDiscoveryRemoveBetaType DEPRECATED on locked
  AllAlpha ALPHA off
  AllBeta BETA off
  AllowDNSOnlyNodeCSR DEPRECATED off locked
  AllowInsecureKubeletCertificateSigningRequests DEPRECATED off locked
  AllowOverwriteTerminationGracePeriodSeconds DEPRECATED off locked
  AllowParsingUserUIDFromCertAuth BETA on
  AllowServiceExternalIPs GA on locked
  AllowUnsafeMalformedObjectDeletion ALPHA off
  AnonymousAuthConfigurableEndpoints GA on locked
  AnyVolumeDataSource GA on locked
  AtomicFIFO BETA on
  AuthorizeNodeWithSelectors GA on locked
  AuthorizePodWebsocketUpgradeCreatePermission BETA on
  AuthorizeWithSelectors GA on locked
  BtreeWatchCache GA on locked
  CBORServingAndStorage ALPHA off
  CPUManagerPolicyAlphaOptions ALPHA off
  CPUManagerPolicyBetaOptions BETA on
  CPUManagerPolicyOptions GA on locked
  CRDObservedGenerationTracking BETA on
  CRDValidationRatcheting GA on locked
  CRIListStreaming ALPHA off
  CSIServiceAccountTokenSecrets GA on locked
  CSIVolumeHealth ALPHA off
  ChangeContainerStatusOnKubeletRestart DEPRECATED off locked
  ClearingNominatedNodeNameAfterBinding BETA on
  ClientsAllowCARotation BETA on
  ClientsAllowCBOR ALPHA off
  ClientsAllowTLSCacheGC BETA on
  ClientsPreferCBOR ALPHA off
  CloudControllerManagerWatchBasedRoutesReconciliation ALPHA off
  CloudControllerManagerWebhook ALPHA off
  ClusterTrustBundle BETA off
  ClusterTrustBundleProjection BETA off
  ComponentFlagz BETA on
  ComponentStatusz BETA on
  ConcurrentWatchObjectDecode BETA off
  ConsistentListFromCache GA on locked
  ConstrainedImpersonation BETA on
  ContainerCheckpoint BETA on
  ContainerRestartRules BETA on
  ContainerStopSignals ALPHA off
  ContextualLogging BETA on
  ControllerManagerReleaseLeaderElectionLockOnExit ALPHA off
  CoordinatedLeaderElection BETA off
  CrossNamespaceVolumeDataSource ALPHA off
  CustomCPUCFSQuotaPeriod GA on locked
  CustomResourceFieldSelectors GA on locked
  DRAAdminAccess GA on locked
  DRAConsumableCapacity BETA on
  DRADeviceBindingConditions BETA on
  DRADeviceTaintRules BETA off
  DRADeviceTaints BETA on
  DRAExtendedResource BETA on
  DRAListTypeAttributes ALPHA off
  DRANodeAllocatableResources ALPHA off
  DRAPartitionableDevices BETA on
  DRAPrioritizedList GA on locked
  DRAResourceClaimDeviceStatus BETA on
  DRAResourceClaimGranularStatusAuthorization BETA on
  DRAResourcePoolStatus ALPHA off
  DRASchedulerFilterTimeout BETA on
  DRAWorkloadResourceClaims ALPHA off
  DeclarativeValidation GA on locked
  DeclarativeValidationBeta BETA on
  DeclarativeValidationTakeover DEPRECATED off locked
  DeploymentReplicaSetTerminatingReplicas BETA on
  DetectCacheInconsistency BETA on
  DisableAllocatorDualWrite GA on locked
  DisableCPUQuotaWithExclusiveCPUs DEPRECATED on locked
  DisableNodeKubeProxyVersion DEPRECATED on locked
  DynamicResourceAllocation GA on locked
  EnvFiles BETA on
  EventedPLEG ALPHA off
  ExecProbeTimeout GA on locked
  ExtendWebSocketsToKubelet BETA on
  ExternalServiceAccountTokenSigner GA on locked
  GangScheduling ALPHA off
  GenericWorkload ALPHA off
  GitRepoVolumeDriver DEPRECATED off locked
  GracefulNodeShutdown BETA on
  GracefulNodeShutdownBasedOnPodPriority BETA on
  HPAConfigurableTolerance BETA on
  HPAScaleToZero ALPHA off
  HostnameOverride BETA on
  ImageMaximumGCAge GA on locked
  ImageVolume GA on locked
  ImageVolumeWithDigest ALPHA off
  InOrderInformers GA on locked
  InOrderInformersBatchProcess BETA on
  InPlacePodLevelResourcesVerticalScaling BETA on
  InPlacePodVerticalScaling GA on locked
  InPlacePodVerticalScalingExclusiveCPUs ALPHA off
  InPlacePodVerticalScalingExclusiveMemory ALPHA off
  InPlacePodVerticalScalingInitContainers BETA on
  InformerResourceVersion GA on locked
  JobBackoffLimitPerIndex GA on locked
  JobManagedBy GA on locked
  JobPodReplacementPolicy GA on locked
  JobSuccessPolicy GA on locked
  KMSv1 DEPRECATED off locked
  KubeletCgroupDriverFromCRI GA on locked
  KubeletCrashLoopBackOffMax BETA on
  KubeletEnsureSecretPulledImages BETA on
  KubeletFineGrainedAuthz GA on locked
  KubeletInUserNamespace ALPHA off
  KubeletPSI GA on locked
  KubeletPodResourcesDynamicResources GA on locked
  KubeletPodResourcesGet GA on locked
  KubeletPodResourcesListUseActivePods DEPRECATED on locked
  KubeletRegistrationGetOnExistsOnly DEPRECATED off locked
  KubeletSeparateDiskGC BETA on
  KubeletServiceAccountTokenForCredentialProviders BETA on
  KubeletTracing GA on locked
  ListFromCacheSnapshot BETA on
  LocalStorageCapacityIsolationFSQuotaMonitoring BETA off
  LogarithmicScaleDown GA on locked
  LoggingAlphaOptions ALPHA off
  LoggingBetaOptions BETA on
  ManifestBasedAdmissionControlConfig ALPHA off
  MatchLabelKeysInPodAffinity GA on locked
  MatchLabelKeysInPodTopologySpread BETA on
  MatchLabelKeysInPodTopologySpreadSelectorMerge BETA on
  MaxUnavailableStatefulSet BETA off
  MemoryQoS ALPHA off
  MultiCIDRServiceAllocator GA on locked
  MutableCSINodeAllocatableCount GA on locked
  MutablePVNodeAffinity ALPHA off
  MutablePodResourcesForSuspendedJobs BETA on
  MutableSchedulingDirectivesForSuspendedJobs BETA on
  MutatingAdmissionPolicy GA on locked
  NFTablesProxyMode GA on locked
  NativeHistograms ALPHA off
  NodeDeclaredFeatures BETA on
  NodeInclusionPolicyInPodTopologySpread GA on locked
  NodeLogQuery GA on locked
  NodeSwap GA on locked
  NominatedNodeNameForExpectation BETA on
  OpenAPIEnums BETA on
  OpportunisticBatching BETA on
  OrderedNamespaceDeletion GA on locked
  PLEGOnDemandRelist BETA on
  PersistentVolumeClaimUnusedSinceTime ALPHA off
  PodAndContainerStatsFromCRI ALPHA off
  PodCertificateRequest BETA off
  PodDeletionCost BETA on
  PodLevelResourceManagers ALPHA off
  PodLevelResources BETA on
  PodLifecycleSleepAction GA on locked
  PodLifecycleSleepActionAllowZero GA on locked
  PodLogsQuerySplitStreams ALPHA off
  PodObservedGenerationTracking GA on locked
  PodReadyToStartContainersCondition BETA on
  PodSchedulingReadiness GA on locked
  PodTopologyLabelsAdmission BETA on
  PodsAPI ALPHA off
  PortForwardWebsockets BETA on
  PreferSameTrafficDistribution GA on locked
  PreventStaticPodAPIReferences BETA on
  ProcMountType GA on locked
  QOSReserved ALPHA off
  RecoverVolumeExpansionFailure GA on locked
  RecursiveReadOnlyMounts GA on locked
  ReduceDefaultCrashLoopBackOffDecay ALPHA off
  RelaxedDNSSearchValidation GA on locked
  RelaxedEnvironmentVariableValidation GA on locked
  RelaxedServiceNameValidation BETA on
  ReloadKubeletClientCAFile BETA on
  ReloadKubeletServerCertificateFile BETA on
  RemoteRequestHeaderUID BETA on
  ResilientWatchCacheInitialization GA on locked
  ResourceHealthStatus BETA on
  ResourceHealthStatusMessage BETA on
  RestartAllContainersOnContainerExits BETA on
  RetryGenerateName GA on locked
  RotateKubeletServerCertificate BETA on
  RuntimeClassInImageCriApi ALPHA off
  SELinuxChangePolicy GA on locked
  SELinuxMount BETA off
  SELinuxMountReadWriteOncePod GA on locked
  SchedulerAsyncAPICalls BETA off
  SchedulerAsyncPreemption BETA on
  SchedulerPopFromBackoffQ BETA on
  SchedulerQueueingHints GA on locked
  SeparateCacheWatchRPC DEPRECATED off locked
  SeparateTaintEvictionController GA on locked
  ServiceAccountNodeAudienceRestriction BETA on
  ServiceAccountTokenJTI GA on locked
  ServiceAccountTokenNodeBinding GA on locked
  ServiceAccountTokenNodeBindingValidation GA on locked
  ServiceAccountTokenPodNodeInfo GA on locked
  ServiceCIDRStatusFieldWiping DEPRECATED on locked
  ShardedListAndWatch ALPHA off
  SidecarContainers GA on locked
  SizeBasedListCostEstimate BETA on
  StaleControllerConsistencyDaemonSet BETA on
  StaleControllerConsistencyJob BETA on
  StaleControllerConsistencyReplicaSet BETA on
  StaleControllerConsistencyStatefulSet BETA on
  StatefulSetSemanticRevisionComparison BETA on
  StorageCapacityScoring ALPHA off
  StorageNamespaceIndex DEPRECATED on locked
  StorageVersionAPI ALPHA off
  StorageVersionHash BETA on
  StorageVersionMigrator BETA off
  StreamingCollectionEncodingToJSON GA on locked
  StreamingCollectionEncodingToProtobuf GA on locked
  StrictIPCIDRValidation BETA on
  StructuredAuthenticationConfiguration GA on locked
  StructuredAuthenticationConfigurationEgressSelector BETA on
  StructuredAuthenticationConfigurationJWKSMetrics BETA on
  SupplementalGroupsPolicy GA on locked
  SystemdWatchdog GA on locked
  TaintTolerationComparisonOperators ALPHA off
  TokenRequestServiceAccountUIDValidation BETA on
  TopologyAwareWorkloadScheduling ALPHA off
  TopologyManagerPolicyAlphaOptions ALPHA off
  TopologyManagerPolicyBetaOptions BETA on
  TopologyManagerPolicyOptions GA on locked
  TranslateStreamCloseWebsocketRequests BETA on
  UnauthenticatedHTTP2DOSMitigation BETA on
  UnknownVersionInteroperabilityProxy BETA on
  UnlockWhileProcessingFIFO BETA on
  UserNamespacesHostNetworkSupport ALPHA off
  UserNamespacesSupport GA on locked
  VolumeAttributesClass GA on locked
  VolumeLimitScaling ALPHA off
  WatchCacheInitializationPostStartHook BETA on
  WatchList BETA on
  WatchListClient BETA on
  WinDSR GA on locked
  WinOverlay GA on locked
  WindowsCPUAndMemoryAffinity ALPHA off
  WindowsGracefulNodeShutdown BETA on
  WindowsHostNetwork DEPRECATED off locked
  WorkloadAwarePreemption ALPHA off
  WorkloadWithJob ALPHA off
`;
