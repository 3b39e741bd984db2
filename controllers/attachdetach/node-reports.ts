import type { Stored } from "../../pkg/api/object.ts";
import { versionOrder } from "../../pkg/api/resource-version.ts";
import type { AttachedVolume } from "../../pkg/api/types/core-v1.gen.ts";
import type { CachedNode } from "./fields.ts";
import type { VolumePlace } from "./volume-key.ts";

/** What a node was answered as when its status was written. */
export interface NodeAnswer {
  readonly version: string;
  readonly attached: readonly AttachedVolume[];
  readonly inUse: ReadonlySet<string>;
}

interface Report {
  /** What the node's status is to say, with the paths of the devices. */
  readonly volumes: Map<string, string>;
  /** What a write says that is under way, or that failed: it may be done nevertheless, now or later. */
  sent: readonly AttachedVolume[] | undefined;
  answer: NodeAnswer | undefined;
}

/**
 * What the statuses of nodes say is attached. A volume is detached only when its node's status says so no more: its kubelet
 * uses nothing else, and has said that it uses a volume before it looks there.
 * upstream: pkg/controller/volume/attachdetach/statusupdater
 */
export class NodeReports {
  readonly #reports = new Map<string, Report>();

  /** False when the node is to report it already. */
  add({ node, volume }: VolumePlace, devicePath = ""): boolean {
    const report = this.#reports.get(node) ?? { volumes: new Map(), sent: undefined, answer: undefined };
    this.#reports.set(node, report);
    if (report.volumes.has(volume)) return false;
    report.volumes.set(volume, devicePath);
    return true;
  }

  /** False when the node was not to report it. */
  remove({ node, volume }: VolumePlace): boolean {
    return this.#reports.get(node)?.volumes.delete(volume) ?? false;
  }

  isToReport({ node, volume }: VolumePlace): boolean {
    return this.#reports.get(node)?.volumes.has(volume) ?? false;
  }

  /** Whether it is known what the node is to say: of others nothing is written. */
  has(node: string): boolean {
    return this.#reports.has(node);
  }

  /**
   * What is to be written; undefined when the node says that already, and no write that failed could change it. What it says
   * goes on in its order.
   */
  pending(node: Stored<CachedNode>): readonly AttachedVolume[] | undefined {
    const report = this.#reports.get(node.metadata.name);
    if (report === undefined) return undefined;
    const said = saidBy(node, report);
    const kept = said.filter(({ name }) => report.volumes.has(name));
    const names = new Set(kept.map(({ name }) => name));
    const added = [...report.volumes].flatMap(([name, devicePath]) =>
      names.has(name) ? [] : { name, devicePath },
    );
    const isSaid = added.length === 0 && kept.length === said.length;
    return isSaid && !mayYetSayMore(report) ? undefined : [...kept, ...added];
  }

  /** A write is under way. */
  sending(node: string, volumes: readonly AttachedVolume[] | undefined): void {
    const report = this.#reports.get(node);
    if (report !== undefined) report.sent = volumes;
  }

  answered(node: string, answer: NodeAnswer): void {
    const report = this.#reports.get(node);
    if (report === undefined) return;
    report.sent = undefined;
    report.answer = answer;
  }

  /** Whether the node's status says that it is attached, or may do so in a moment. */
  isReported(node: Stored<CachedNode> | undefined, volume: string): boolean {
    if (node === undefined) return false;
    const report = this.#reports.get(node.metadata.name);
    const said = report === undefined ? (node.status?.volumesAttached ?? []) : saidBy(node, report);
    return [...said, ...(report?.sent ?? [])].some(({ name }) => name === volume);
  }

  /** Whether the node uses it, by the latest that is known of it. */
  isInUse(node: Stored<CachedNode>, volume: string): boolean {
    const report = this.#reports.get(node.metadata.name);
    return report !== undefined && isOlder(node, report)
      ? report.answer.inUse.has(volume)
      : (node.status?.volumesInUse?.includes(volume) ?? false);
  }

  /**
   * Whether the node's status was seen to say that it is not attached, after the last write of it. From then on what is
   * not in use is not taken into use.
   */
  isTold({ node, volume }: VolumePlace): boolean {
    const answer = this.#reports.get(node)?.answer;
    return answer !== undefined && !answer.attached.some(({ name }) => name === volume);
  }

  /** The node is gone: one that comes under its name is another. */
  nodeIsGone(node: string): void {
    const report = this.#reports.get(node);
    if (report === undefined) return;
    report.answer = undefined;
    report.sent = undefined;
    if (report.volumes.size === 0) this.#reports.delete(node);
  }
}

/** The next write, and its answer, settle what has become of that one. */
function mayYetSayMore({ sent = [], volumes }: Report): boolean {
  return sent.some(({ name }) => !volumes.has(name));
}

/** As the cache shows it, unless that is older than the last answer. */
function saidBy(node: Stored<CachedNode>, report: Report): readonly AttachedVolume[] {
  return isOlder(node, report) ? report.answer.attached : (node.status?.volumesAttached ?? []);
}

function isOlder(
  { metadata }: Stored<CachedNode>,
  report: Report,
): report is Report & { readonly answer: NodeAnswer } {
  const { answer } = report;
  return answer !== undefined && (versionOrder(metadata.resourceVersion, answer.version) ?? 0) < 0;
}
