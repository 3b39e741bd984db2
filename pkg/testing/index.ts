/** What controllers are tested with. */
export { explore, ExploreError, type ExploreOptions, type Story } from "./explore.ts";
export type { Write } from "./recorded-transport.ts";
export { type Definition, TestCluster, testCluster, type TestClusterOptions } from "./test-cluster.ts";
export type { TestProcess, UnderTest } from "./test-process.ts";
export { type Trouble, troubleNames } from "./troubles.ts";
export { VirtualClock } from "./virtual-clock.ts";
