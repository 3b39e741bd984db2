import type { FeatureGates } from "../../pkg/api/feature-gates.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Random } from "../../pkg/clock/random.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Verbosity } from "../../pkg/log/verbosity.ts";
import type { MetricsRegistries } from "../../pkg/metrics/registry.ts";
import type { ControllerSet } from "../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import type { Clients } from "./clients.ts";
import type { LeaderMigration } from "./options/leader-migration-file.ts";
import type { Options } from "./options/options.ts";
import type { HealthChecks } from "../../pkg/manager/health/health.ts";
import type { SpareMemory } from "../../pkg/manager/spare-memory.ts";

/** What a run is started with. */
export interface AppParts {
  readonly options: Options;
  readonly leaderMigration: LeaderMigration | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly verbosity: Verbosity;
  readonly metrics: MetricsRegistries;
  readonly processStartMs: number;
  /** Told of everything that uses much memory for a short time. */
  readonly memory: Pick<SpareMemory, "releaseLater">;
}

/** What the parts of one run share. */
export interface Run extends AppParts {
  readonly gates: FeatureGates;
  readonly controllers: readonly ControllerDescriptor[];
  readonly clients: Clients;
  readonly health: HealthChecks;
  /** What runs at present: none while another process leads, and one for each share of a migration. */
  readonly sets: Set<ControllerSet>;
  /** Name of the check of the informers, where it is not the usual one. */
  readonly informerCheck?: string;
}
