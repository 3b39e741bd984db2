import { messageOf } from "../api/errors.ts";
import { testCluster, type TestCluster, type TestClusterOptions } from "./test-cluster.ts";

/** What happens in a cluster, and what is to hold in the end. */
export type Story = (cluster: TestCluster) => Promise<void>;

/** The first story that failed, and how many others did. */
export class ExploreError extends Error {
  readonly code = "Explore";
  readonly seed: number;
  readonly failed: readonly number[];
  constructor(failures: ReadonlyMap<number, unknown>, of: number) {
    const [[seed, cause] = [0, undefined]] = failures;
    super(`seed ${seed}, one of ${failures.size} among ${of} that failed: ${messageOf(cause)}`, { cause });
    this.name = "ExploreError";
    this.seed = seed;
    this.failed = [...failures.keys()];
  }
}

export interface ExploreOptions extends Omit<TestClusterOptions, "seed" | "access"> {
  /** Ends with the first seed that fails: true when left out. */
  readonly untilFailure?: boolean;
}

/**
 * The same story under other circumstances for each seed: requests are slow, refused or heard of by nobody, caches are
 * late, processes die. Where the story calls `calm` all of that ends. The number of seeds, or the seeds themselves.
 */
export async function explore(
  seeds: number | readonly number[],
  story: Story,
  { untilFailure = true, ...options }: ExploreOptions = {},
): Promise<void> {
  const all = typeof seeds === "number" ? Array.from({ length: seeds }, (_, index) => index + 1) : seeds;
  const failures = new Map<number, unknown>();
  for (const seed of all) {
    try {
      await tell(seed, story, options);
    } catch (error) {
      failures.set(seed, error);
      if (untilFailure) break;
    }
  }
  if (failures.size > 0) throw new ExploreError(failures, all.length);
}

async function tell(seed: number, story: Story, options: TestClusterOptions): Promise<void> {
  const cluster = await testCluster({ ...options, seed });
  cluster.stirUp();
  let failure: unknown;
  try {
    await story(cluster);
  } catch (error) {
    failure = error;
  }
  try {
    await cluster.stop();
  } catch (error) {
    // The story tells more than the end that follows from it.
    failure ??= error;
  }
  if (failure !== undefined) throw failure;
}
