import type { Stored } from "../../pkg/api/object.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { formatCidr, overlap, parseCidr } from "../../pkg/endpoints/cidr.ts";
import { CidrSet, type CidrSetObserver, NodeRangeError } from "./cidr-set.ts";
import type { Span } from "./index-set.ts";
import type { RangePlan } from "./range-plan.ts";
import { SharedSpans } from "./shared-spans.ts";
import type { Projected } from "../../pkg/api/projected.ts";

/** What is known of a Node's ranges. */
interface Holding {
  /** For each of the cluster's ranges. */
  readonly spans: readonly (Span | undefined)[];
  /** As they are in the Node, or are to be written there. */
  readonly cidrs: readonly string[];
  /** Whether the Node has them; whether it may have them, as a write has had no answer; or whether they are only meant for it. */
  readonly state: "shown" | "may be stored" | "reserved";
  /** Why not all of them could be taken. */
  readonly problem: string | undefined;
}

export type Assignment =
  | { readonly kind: "shown"; readonly problem: string | undefined }
  /** To be written. It is the Node's from now on: whoever asks again is told the same. */
  | { readonly kind: "reserved"; readonly cidrs: readonly string[] }
  | { readonly kind: "exhausted"; readonly problem: string };

export interface RangeListeners {
  /** Gives who is told of one of the cluster's ranges, which has so many ranges for Nodes. */
  readonly observe?: (cidr: string, size: number) => CidrSetObserver;
  /** So many ranges are free that were not. */
  readonly onFree?: (count: number) => void;
}

/** What a Node shows of its ranges. */
export const NODE_FIELDS = ["spec.podCIDRs"] as const;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;
export type NodeView = Stored<CachedNode>;

/**
 * Which Node has which ranges, by the uids of the Nodes: a Node that is made anew under its name is another one. What is
 * meant for a Node stays its own until the Node is gone or shows others, whatever is heard of the writes: one that seemed
 * to fail may take effect later.
 */
export class NodeRanges {
  readonly #sets: readonly SharedSpans[];
  readonly #holdings = new Map<string, Holding>();
  readonly #onFree: (count: number) => void;

  /** What Services have is never given to a Node. Throws a NodeRangeError when the plan cannot be. */
  constructor({ ranges, services }: RangePlan, { observe, onFree = () => undefined }: RangeListeners = {}) {
    this.#onFree = onFree;
    this.#sets = ranges.map(({ cidr, length }) => {
      const observer = observe?.(formatCidr(cidr), 2 ** (length - cidr.length));
      return new SharedSpans(new CidrSet(cidr, length, observer));
    });
    for (const service of services) {
      for (const spans of this.#sets) {
        if (overlap(spans.set.cidr, service)) spans.hold(spans.set.spanOf(service));
      }
    }
  }

  /** How many Nodes have ranges, or are meant to. */
  get size(): number {
    return this.#holdings.size;
  }

  /** What the Node shows is its own, and what was meant for it besides is free. */
  show({ metadata: { uid, name }, spec }: NodeView): void {
    const cidrs = spec?.podCIDRs ?? [];
    if (cidrs.length === 0) return;
    const before = this.#holdings.get(uid);
    if (before !== undefined && sameTexts(before.cidrs, cidrs)) {
      if (before.state !== "shown") this.#holdings.set(uid, { ...before, state: "shown" });
      return;
    }
    const spans: (Span | undefined)[] = [];
    let problem: string | undefined;
    for (const [index, cidr] of cidrs.entries()) {
      try {
        spans[index] = this.#hold(name, cidr, index);
      } catch (error) {
        if (!(error instanceof NodeRangeError)) throw error;
        problem ??= error.message;
      }
    }
    this.#holdings.set(uid, { spans, cidrs, state: "shown", problem });
    if (before !== undefined) this.#drop(before);
  }

  /** What the Node has, or is to have from now on. A Node gets ranges of all families, or none. */
  assign({ metadata: { uid } }: NodeView): Assignment {
    // Another Node has come with a range of its own before this one was written.
    if (this.#holdings.get(uid)?.state === "reserved" && this.#isShared(uid)) this.release(uid);
    const held = this.#holdings.get(uid);
    if (held?.state === "shown") return { kind: "shown", problem: held.problem };
    if (held !== undefined) return { kind: "reserved", cidrs: held.cidrs };
    const full = this.#sets.findIndex(({ set }) => set.used === set.size);
    if (full >= 0) {
      const what =
        "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range";
      return {
        kind: "exhausted",
        problem: `failed to allocate cidr from cluster cidr at idx:${full}: ${what}`,
      };
    }
    const spans = this.#sets.map((set) => set.allocate());
    const cidrs = spans.map((span, index) => this.#textOf(index, span?.begin ?? 0));
    this.#holdings.set(uid, { spans, cidrs, state: "reserved", problem: undefined });
    return { kind: "reserved", cidrs };
  }

  /** Nobody knows what has become of a write of the ranges that are meant for the Node: they stay its own. */
  mayBeStored(uid: string): void {
    const held = this.#holdings.get(uid);
    if (held?.state === "reserved") this.#holdings.set(uid, { ...held, state: "may be stored" });
  }

  /** The server has refused what was meant for the Node: it is free, unless another write may have stored it. */
  giveBack(uid: string): void {
    if (this.#holdings.get(uid)?.state === "reserved") this.release(uid);
  }

  /** This very Node is gone. */
  release(uid: string): void {
    const held = this.#holdings.get(uid);
    if (held === undefined) return;
    this.#holdings.delete(uid);
    this.#drop(held);
  }

  /** Why not all of the ranges that the Node shows can be its own; undefined when they can. */
  problemOf(uid: string): string | undefined {
    return this.#holdings.get(uid)?.problem;
  }

  #hold(node: string, text: string, index: number): Span {
    const cidr = parseCidr(text);
    if (cidr === undefined) throw new NodeRangeError(`failed to parse node ${node}, CIDR ${text}`);
    const spans = this.#sets[index];
    if (spans === undefined) {
      throw new NodeRangeError(
        `node:${node} has an allocated cidr: ${text} at index:${index} that does not exist in cluster cidrs configuration`,
      );
    }
    try {
      return spans.hold(spans.set.spanOf(cidr));
    } catch (error) {
      if (!(error instanceof NodeRangeError)) throw error;
      throw new NodeRangeError(
        `failed to mark cidr[${formatCidr(cidr)}] at idx [${index}] as occupied for node: ${node}: ${error.message}`,
        { cause: error },
      );
    }
  }

  #isShared(uid: string): boolean {
    const spans = this.#holdings.get(uid)?.spans ?? [];
    return spans.some((span, index) => span !== undefined && this.#sets[index]?.isShared(span) === true);
  }

  #drop({ spans }: Holding): void {
    let freed = 0;
    for (const [index, span] of spans.entries()) {
      if (span !== undefined) freed += this.#sets[index]?.drop(span) ?? 0;
    }
    if (freed > 0) this.#onFree(freed);
  }

  #textOf(index: number, at: number): string {
    const spans = this.#sets[index];
    return spans === undefined ? "" : formatCidr(spans.set.cidrAt(at));
  }
}

/** Whether both say the same of the Node's ranges. */
export function sameRanges(one: CachedNode, other: CachedNode): boolean {
  return sameTexts(one.spec?.podCIDRs ?? [], other.spec?.podCIDRs ?? []);
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((text, index) => text === other[index]));
}
