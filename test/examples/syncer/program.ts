import { manager, type Manager, type ManagerOptions } from "../../../pkg/manager/index.ts";
import { configMapSyncer, secretSyncer } from "./operator.ts";
import { syncerWebhooks } from "./webhooks.ts";

/** The syncer as a program: its webhooks have certificates of their own, and its metrics are for whom RBAC lets see them. */
export function syncer(namespace: string, options: Partial<ManagerOptions> = {}): Manager {
  return manager({
    name: "syncer",
    run: [configMapSyncer, secretSyncer],
    webhooks: { run: syncerWebhooks, namespace, install: true },
    leaderElection: { namespace },
    port: { health: 8081, metrics: 8443, webhooks: 9443 },
    secureMetrics: {},
    ...options,
  });
}
