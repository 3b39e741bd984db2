import type { FeatureGates } from "../../../pkg/api/feature-gates.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import type { Random } from "../../../pkg/clock/random.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { Verbosity } from "../../../pkg/log/verbosity.ts";
import type { MetricsRegistries } from "../../../pkg/metrics/registry.ts";
import type { LeaderMigration } from "../options/leader-migration-file.ts";
import type { Options } from "../options/options.ts";
import type { HealthChecks } from "../../../pkg/manager/health/health.ts";
import type { DebugHandler } from "./routes/debug-controllers.ts";
import type { BuildFacts } from "./routes/z-pages.ts";

/** All that the server shows, and what it needs to know who may see it. */
export interface ServerParts {
  readonly options: Options;
  readonly leaderMigration?: LeaderMigration | undefined;
  readonly features: FeatureGates;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly verbosity: Verbosity;
  readonly metrics: Pick<MetricsRegistries, "main" | "slis">;
  readonly health: HealthChecks;
  readonly processStartMs: number;
  readonly build: BuildFacts;
  /** Of the API servers that know who is who and who may do what; there may be none. */
  readonly clients: {
    readonly authentication?: ClientSet | undefined;
    readonly authorization?: ClientSet | undefined;
  };
  /** What a running controller shows of itself. */
  readonly debugHandler: (controller: string) => DebugHandler | undefined;
}
