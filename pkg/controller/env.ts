import type { FeatureGates } from "../api/feature-gates.ts";
import type { Informers } from "../cache/informer/informer-factory.ts";
import type { ClientOptions } from "../client/client-builder.ts";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { FencedClientSet } from "../leader/fenced-client.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { WorkerLiveness } from "./worker.ts";

/** All that a controller has to do with the world. Frozen, and made for each controller anew. */
export interface Env {
  /** Under the controller's own identity; it writes only while this process leads. */
  readonly client: FencedClientSet;
  /**
   * Shared by all controllers. A controller asks for its informers in `build`; whoever built it starts them. One that
   * learns only at run time which informers it needs, starts those itself and releases them when it is done with them.
   */
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  /** Its lines carry the controller's name. */
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly features: FeatureGates;
  /** Its events name the controller as their source. */
  readonly events: EventRecorder;
  /** What is read of the cluster by controllers that can do with a part of it; all of it when left out. */
  readonly namespaces?: readonly string[];
  /** Whether namespaces take turns in queues. */
  readonly fairQueues: boolean;
  /** How many syncs of each queue its history keeps; 0: it has none. */
  readonly syncHistory: number;
}

/** Static data about a controller: what is known of it before there is a cluster. */
export interface ControllerDescriptor {
  /** As in --controllers, such as "deployment-controller". */
  readonly name: string;
  /** Feature gates that must all be on; otherwise the controller is not built. */
  readonly featureGates?: readonly string[];
  /** The service account under --use-service-account-credentials, and the user agent's last part. */
  readonly clientName: string;
  /** Not as its service account, even under --use-service-account-credentials. */
  readonly asConfiguredUser?: true;
  /** For controllers that make many requests. */
  readonly clientRate?: Pick<ClientOptions, "qpsFactor" | "burstFactor">;
  /** The component that its events name as their source; absent for controllers without events. */
  readonly eventSource?: string;
  /** Throws when its settings do not go together. Asked before there is a cluster, so that who starts the program is told. */
  checkSettings?(): void;
  /** Wires handlers and queues. Starts nothing. */
  build(env: Env): Controller;
}

export interface Controller {
  /** Works until the signal aborts, and resolves only when all its work has ended. An abort is not a failure. */
  run(signal: AbortSignal): Promise<void>;
  /** Facts for health checks. Without it a controller counts as healthy as long as it runs. */
  health?(): ControllerHealth;
  /** What it shows of itself under /debug/controllers/NAME. `path` is what follows; undefined: there is no such page. */
  debug?(path: string, query: URLSearchParams): DebugPage | undefined;
}

export interface DebugPage {
  readonly contentType: string;
  readonly body: string;
}

export interface ControllerHealth {
  /** By queue name. */
  readonly pools: Readonly<Record<string, WorkerLiveness>>;
  /** What is wrong by the controller's own judgement. */
  readonly problem?: string;
}

/** With what is known of it from outside. */
export interface RunningHealth extends ControllerHealth {
  /** Since the API server last answered it. */
  readonly sinceAnswerMs: number;
}
