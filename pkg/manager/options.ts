import type { ClientBuilder } from "../client/client-builder.ts";
import type { ConnectOptions } from "../client/connect.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import type { AnyCrd } from "../crd/crd.ts";
import type { ElectionTiming } from "../leader/election-timing.ts";
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
  /** Where it is served how it does; 0 is any port that is free. What is left out is not served. */
  readonly port?: { readonly health?: number; readonly metrics?: number };
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
