/** What programs of controllers are made with. */
export type { Host } from "./host.ts";
export { manager, type Manager } from "./manager.ts";
export type {
  LeaderElectionOptions,
  ManagedWebhooks,
  ManagerOptions,
  Ports,
  SecureMetricsOptions,
  Task,
} from "./options.ts";
export { StartError } from "./start-error.ts";
