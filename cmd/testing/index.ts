/** What controllers are tested with: the clusters of pkg/testing, which have the controllers of the daemon by themselves. */
import {
  explore as exploreBare,
  type ExploreOptions,
  type Story,
  type TestCluster,
  testCluster as bareCluster,
  type TestClusterOptions,
} from "../../pkg/testing/index.ts";
import { builtInControllers } from "./built-in.ts";

export {
  ExploreError,
  type ExploreOptions,
  type Story,
  type TestCluster,
  type TestClusterOptions,
  type TestProcess,
  type Trouble,
  troubleNames,
  type UnderTest,
  VirtualClock,
  type Write,
} from "../../pkg/testing/index.ts";

/** A cluster in this process on a virtual clock; or, with `access`, a real one. Whoever starts it stops it. */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  return bareCluster({ builtIn: builtInControllers(), ...options });
}

/** The same story under other circumstances for each seed. */
export async function explore(
  seeds: number | readonly number[],
  story: Story,
  options: ExploreOptions = {},
): Promise<void> {
  return exploreBare(seeds, story, { builtIn: builtInControllers(), ...options });
}
