/*
 * Clients of an API server.
 *
 *     const cluster = await connect();
 *     const { items } = await cluster.clientFor(resources.pods).list({ namespace: cluster.namespace });
 */
export { connect, type Connected, type ConnectOptions } from "./connect.ts";

// Which cluster, and as whom.
export { findAccess, loadAccess, type AccessOptions, type SearchOptions } from "./config/access.ts";
export { accessOfKubeConfig, kubeconfigText, type KubeConfigLike } from "./config/client-node.ts";
export {
  ConfigError,
  type Access,
  type ExecConfig,
  type IdentitySource,
  type Impersonation,
  type Source,
} from "./config/identity-source.ts";
export { parseKubeconfig, type KubeconfigOptions } from "./config/kubeconfig.ts";

// What can be asked of it.
export type { ClientSet } from "./client-set.ts";
export type {
  DeleteOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  ResourceClient,
  Selectors,
  WatchOptions,
  WholeSubresource,
  WriteOptions,
} from "./resource-client.ts";
export type { WriteOnlyClient } from "./write-only-client.ts";
export type { RestClient, RestRequest } from "./rest.ts";
export type { Discovery, DiscoveryStore } from "./discovery.ts";
export type { DiscoveryCacheOptions } from "./discovery-file.ts";
export {
  preferredResources,
  presenceOf,
  type ApiGroup,
  type ApiResource,
  type ApiSurface,
  type Presence,
} from "./discovery-documents.ts";
export { RestMapper } from "./rest-mapper.ts";

// What went wrong.
export {
  ApiError,
  hasCause,
  isAlreadyExists,
  isConflict,
  isConnectionError,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotFound,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnreachable,
  isUnsupportedMediaType,
  type ApiErrorFields,
} from "./errors.ts";

// What clients are made of, for those who bring a part of their own: a transport, a limiter, an identity for each client.
export {
  clientBuilder,
  sharedTransports,
  type ClientBuilder,
  type ClientBuilderOptions,
  type ClientOptions,
  type Transports,
} from "./client-builder.ts";
export { httpClients, serviceAccountClients, type HttpClientsOptions } from "./http-clients.ts";
export { tokenBucket, unlimited, type RateLimiter, type TokenBucketOptions } from "./limiter.ts";
export {
  TransportError,
  type MessageStream,
  type Method,
  type Transport,
  type TransportFailure,
  type TransportRequest,
  type TransportResponse,
  type UpgradeRefusal,
  type UpgradeRequest,
} from "./transport.ts";

// What kubectl has commands for.
export { podLogs, type LogOptions } from "./pods/logs.ts";
export {
  attach,
  exec,
  type AttachOptions,
  type ExecOptions,
  type ProcessResult,
  type TerminalSize,
} from "./pods/processes.ts";
export { portForward, type PortForward, type PortForwardOptions } from "./pods/port-forward.ts";
export { copyFromPod, copyToPod, CopyError, type CopyOptions } from "./pods/copy.ts";
export { evict, scale, scaleOf, UnexpectedScaleError, type ScaleTo } from "./scale.ts";
export { conditionIs, deleted, waitFor, type Condition, type Target, type WaitOptions } from "./wait-for.ts";

// Kinds of one's own, and objects of any kind.
export { defineResource, Kinds, UnknownKindError } from "./kinds.ts";

// @kubernetes/client-node: its models are objects here, and the other way round.
export { modelOf } from "./model.ts";
export { wireOf, type Wire } from "./wire.ts";
