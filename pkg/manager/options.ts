import type { ClientBuilder } from "../client/client-builder.ts";
import type { ConnectOptions } from "../client/connect.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import type { AnyCrd } from "../crd/crd.ts";
import type { ElectionTiming } from "../leader/election-timing.ts";
import type { WebhookAddress } from "../webhook/configurations.ts";
import type { AnyWebhook } from "../webhook/webhook.ts";
import type { Host } from "./host.ts";

/** Work beside the controllers. */
export interface Task {
  readonly name: string;
  /** Works until the signal aborts, and resolves when all of its work has ended. */
  run(signal: AbortSignal): Promise<void>;
  /** It runs whoever leads; otherwise only while this process does. */
  readonly everywhere?: true;
}

export interface LeaderElectionOptions {
  /** Of the Lease; that of the manager when left out. */
  readonly name?: string;
  readonly namespace: string;
  /** Caches are filled while another process leads, so that this one loses no time when it is its turn. */
  readonly warm?: boolean;
  readonly timing?: ElectionTiming;
}

/** Metrics over HTTPS, for whom the API server lets get their path. */
export interface SecureMetricsOptions {
  /** Where certificate and key are, in PEM; they are read again. One of its own making when left out. */
  readonly files?: { readonly cert: string; readonly key: string };
  /** The names that one of its own making is for: those of the Service NAME-metrics when left out. */
  readonly hosts?: readonly string[];
  /** Nobody is asked who they are. */
  readonly everybody?: true;
}

/** Webhooks, which are served whoever leads. */
export interface ManagedWebhooks {
  readonly run: readonly AnyWebhook[];
  /** Of the Secret with their certificate authority, and of their Service. */
  readonly namespace: string;
  /** Where API servers find them: port 443 of the Service NAME-webhooks when left out. */
  readonly address?: WebhookAddress;
  /** Whether their configurations are written as well; else they only get the certificates. */
  readonly install?: boolean;
}

/** 0 is any port that is free. What is left out is not served, but for webhooks: 9443, where there are any. */
export interface Ports {
  readonly health?: number;
  readonly metrics?: number;
  readonly webhooks?: number;
}

export interface ManagerOptions {
  /** Of the program, in metrics, and of its Lease. */
  readonly name: string;
  readonly run: readonly (ControllerDescriptor | Task)[];
  /** How to reach the API server, as kubectl does when left out. A KubeConfig of @kubernetes/client-node will do. */
  readonly access?: ConnectOptions["access"];
  /** Nothing of other namespaces is read, as far as controllers do not say otherwise; all when left out. */
  readonly namespaces?: readonly string[];
  /** Custom resources that are defined before anything else, and served when it begins. */
  readonly installCrds?: readonly AnyCrd[];
  /** Left out: it works from the start, and does not look whether others do. */
  readonly leaderElection?: LeaderElectionOptions;
  readonly port?: Ports;
  /** Metrics, and what controllers did, are served over HTTP to everybody when left out. */
  readonly secureMetrics?: SecureMetricsOptions;
  readonly webhooks?: ManagedWebhooks;
  /** Requests a second of each controller, and at once after a rest: 20 and 30. */
  readonly qps?: number;
  readonly burst?: number;
  /** What the controllers have for their end: 30 s. */
  readonly shutdownMs?: number;
  /** A key may be worked on for so long without an answer of the server before that counts as stuck: 5 minutes. */
  readonly maxSyncMs?: number;
  /** How many syncs of each controller are kept to be looked at: 50. */
  readonly syncHistory?: number;
  /** What it runs in; this very process when left out. */
  readonly host?: Host;
  /** In place of those that `access` leads to. Whoever gives them closes them. */
  readonly clients?: ClientBuilder;
}

export const USUAL_TIMING: ElectionTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};
