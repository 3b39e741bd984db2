import type { AuditLog } from "../harness/audit-log.ts";
import { Daemon, goProgram, ourProgram, type Program } from "../harness/daemon.ts";
import { kubeadmFlags, MANAGER_USER } from "../harness/kubeadm-flags.ts";
import { freePorts, type RealCluster } from "../harness/real-cluster.ts";

export interface Actor {
  readonly name: string;
  readonly program: Program;
}

const ours: Actor = { name: "ours", program: ourProgram };
export const go: Actor = { name: "go", program: goProgram ?? [] };

/** Upstream's program first and last where GO_KCM names it; otherwise one process of ours after another. */
const order: readonly Actor[] = goProgram === undefined ? [ours, ours] : [go, ours, go, ours];

export const takeovers = order
  .slice(1)
  .map((next, index) => ({ from: order[index] ?? ours, next, round: String(index) }));

/** A leader that cannot renew ends: not because the machine is busy. */
const timing = [
  "--leader-elect-lease-duration=30s",
  "--leader-elect-renew-deadline=25s",
  "--leader-elect-retry-period=1s",
];

/** One controller manager after another, each with all its controllers and under kubeadm's flags. */
export class Succession {
  readonly #cluster: RealCluster;
  readonly #audit: AuditLog;
  readonly #flags: readonly string[];
  #leader: Daemon | undefined;
  #terms = 0;

  /** The flags come on top of those that all have. */
  constructor(cluster: RealCluster, audit: AuditLog, flags: readonly string[] = []) {
    this.#cluster = cluster;
    this.#audit = audit;
    this.#flags = flags;
  }

  get isLed(): boolean {
    return this.#leader?.isAlive ?? false;
  }

  /** Ends whoever leads, and a moment later this program takes the Lease. Gives the name of its process in the audit log. */
  async lead({ name, program }: Actor, meanwhile = async (): Promise<void> => undefined): Promise<string> {
    await this.end();
    await meanwhile();
    const actor = `${name}-${this.#terms++}`;
    const kubeconfig = await this.#audit.identify(actor, this.#cluster, MANAGER_USER);
    const [port = 0] = await freePorts(1);
    const common = kubeadmFlags(this.#cluster, kubeconfig, port);
    const daemon = new Daemon(program, [...common, ...timing, ...this.#flags]);
    this.#leader = daemon;
    await daemon.says("uccessfully acquired lease");
    return actor;
  }

  async end(): Promise<void> {
    await this.#leader?.end("SIGTERM");
    this.#leader = undefined;
  }
}
