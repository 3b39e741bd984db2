import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { type AuditEvent, AuditLog, describeEvent } from "../harness/audit-log.ts";
import { HOLLOW_WORLD_FLAGS, type HollowWorld, startHollowWorld } from "../harness/hollow-world.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { serverMinor } from "../harness/real-programs.ts";
import { Succession } from "./succession.ts";

/** What was written, without what a server before v1.35 drops: the number of terminating pods, which a new leader tells it. */
export function effects(events: readonly AuditEvent[]): readonly string[] {
  const lines = events.map(describeEvent);
  return serverMinor("real") < 35 ? lines.filter((line) => !line.startsWith(DROPPED)) : lines;
}

const DROPPED = "update replicasets/status ";

interface StageSettings {
  readonly nodes: number;
  readonly flags: readonly string[];
}

/** A real API server on which one controller manager follows another, and an admin's view of it. */
export class TakeoverStage {
  readonly client: ClientSet;
  readonly audit: AuditLog;
  readonly succession: Succession;
  readonly #cluster: RealCluster;
  readonly #admin: ClientBuilder;
  readonly #world: HollowWorld | undefined;

  private constructor(cluster: RealCluster, admin: ClientBuilder, { nodes, flags }: StageSettings) {
    this.#cluster = cluster;
    this.#admin = admin;
    this.client = admin.client("test");
    this.audit = new AuditLog(cluster.auditLog);
    this.succession = new Succession(cluster, this.audit, flags);
    this.#world = nodes === 0 ? undefined : startHollowWorld(admin, nodes);
  }

  /**
   * Without nodes, pods stay as they are, and the API server does all that it does by default. The flags are for those who
   * take over.
   */
  static async start(nodes = 0, flags: readonly string[] = []): Promise<TakeoverStage> {
    const admission = nodes === 0 ? {} : { apiServerFlags: HOLLOW_WORLD_FLAGS };
    const cluster = await startRealCluster({ audit: true, ...admission });
    return new TakeoverStage(cluster, await clientsOf(cluster.kubeconfig), { nodes, flags });
  }

  async createNamespace(name: string): Promise<void> {
    await this.client.clientFor(resources.namespaces).create({ metadata: { name } });
  }

  async stop(): Promise<void> {
    await this.succession.end();
    await this.#world?.stop();
    await this.#admin.close();
    await this.#cluster.stop();
  }
}
