import type { Stored } from "../../pkg/api/object.ts";
import { EvictionLine, EvictionRate } from "./eviction-line.ts";
import type { NodeHealth } from "./node-health.ts";
import { zoneOf } from "./zones.ts";
import type { CachedNode } from "./fields.ts";

/** What is remembered of one node. Another one that takes its name begins anew. */
export interface KnownNode {
  readonly uid: string;
  /** As it was seen last. */
  node: Stored<CachedNode>;
  zone: string;
  health: NodeHealth | undefined;
  /** Status of the Ready condition as it was judged last; undefined when there is none. */
  ready: string | undefined;
  /** Pods of the node may have yet to be marked as not ready. */
  podsPending: boolean;
}

export interface NodeChanges {
  readonly added: readonly KnownNode[];
  readonly gone: readonly KnownNode[];
}

/** The nodes of the last round, by their names. */
export class KnownNodes {
  readonly #nodes = new Map<string, KnownNode>();

  /** Remembers exactly these nodes. */
  meet(nodes: readonly Stored<CachedNode>[]): NodeChanges {
    const added: KnownNode[] = [];
    const gone: KnownNode[] = [];
    for (const node of nodes) {
      const { name, uid } = node.metadata;
      const known = this.#nodes.get(name);
      if (known?.uid === uid) {
        known.node = node;
        continue;
      }
      if (known !== undefined) gone.push(known);
      added.push(this.#add(node));
    }
    if (this.#nodes.size > nodes.length) gone.push(...this.#dropOthers(nodes));
    return { added, gone };
  }

  #add(node: Stored<CachedNode>): KnownNode {
    const { name, uid } = node.metadata;
    // Its pods are looked at: whoever was at work before may not have come to the last of them.
    const known = { uid, node, zone: zoneOf(node), health: undefined, ready: undefined, podsPending: true };
    this.#nodes.set(name, known);
    return known;
  }

  #dropOthers(nodes: readonly Stored<CachedNode>[]): readonly KnownNode[] {
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    const gone = [...this.#nodes].filter(([name]) => !names.has(name));
    for (const [name] of gone) this.#nodes.delete(name);
    return gone.map(([, known]) => known);
  }

  named(name: string): KnownNode | undefined {
    return this.#nodes.get(name);
  }

  all(): IterableIterator<KnownNode> {
    return this.#nodes.values();
  }
}

/** The zones of the nodes that are known, and who waits in each of them to be emptied. */
export class KnownZones {
  /** In no zone was any node ready. */
  allDown = false;
  readonly #lines = new Map<string, EvictionLine>();
  #counted: ReadonlySet<string> = new Set();

  /** A zone that is met for the first time begins with this rate. */
  meet(
    zone: string,
    perSecond: number,
    nowMs: number,
  ): { readonly line: EvictionLine; readonly isNew: boolean } {
    const known = this.#lines.get(zone);
    if (known !== undefined) return { line: known, isNew: false };
    const line = new EvictionLine(new EvictionRate(perSecond, nowMs));
    this.#lines.set(zone, line);
    return { line, isNew: true };
  }

  line(zone: string): EvictionLine | undefined {
    return this.#lines.get(zone);
  }

  /** Forgets the zones that no node is in any more. */
  keepOnly(zones: ReadonlySet<string>): void {
    for (const zone of this.#lines.keys()) if (!zones.has(zone)) this.#lines.delete(zone);
  }

  /** Gives the zones that were counted before and are not any more. */
  countOnly(zones: ReadonlySet<string>): readonly string[] {
    const gone = [...this.#counted].filter((zone) => !zones.has(zone));
    this.#counted = zones;
    return gone;
  }

  all(): IterableIterator<[string, EvictionLine]> {
    return this.#lines.entries();
  }
}
