import { type Cidr, formatCidr, overlap, widthOf } from "../../pkg/endpoints/cidr.ts";
import { IndexSet, type Span } from "./index-set.ts";

/** A cluster's range cannot be used like that, or a Node's range does not belong to it. */
export class NodeRangeError extends Error {
  readonly code = "NodeRange";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NodeRangeError";
  }
}

/** Told of what becomes of a cluster's range. */
export interface CidrSetObserver {
  /** So many ranges of Nodes are new, or are free again; a share of all of them is used then. */
  changed(allocated: number, released: number, usedShare: number): void;
  /** A free range was found behind so many that are not. */
  searched(tries: number): void;
}

/** An IPv6 range may be split into so many bits; upstream keeps a bit for each part. */
const MOST_IPV6_BITS = 16;

/**
 * A cluster's range, split into ranges of one length for Nodes. Ranges are given out in order, from behind the last one
 * that was given on, and from the beginning when the end is reached.
 * upstream: pkg/controller/nodeipam/ipam/cidrset/cidr_set.go
 */
export class CidrSet {
  readonly cidr: Cidr;
  readonly #length: number;
  readonly #used: IndexSet;
  readonly #observer: CidrSetObserver | undefined;
  #next = 0;

  /** `length` is that of the prefixes of Nodes' ranges, and not less than that of the cluster's. */
  constructor(cidr: Cidr, length: number, observer?: CidrSetObserver) {
    if (cidr.family === "IPv6" && length - cidr.length > MOST_IPV6_BITS)
      throw new NodeRangeError("New CIDR set failed; the node CIDR size is too big");
    this.cidr = cidr;
    this.#length = length;
    this.#used = new IndexSet(2 ** (length - cidr.length));
    this.#observer = observer;
  }

  /** How many ranges there are, and how many of them are taken. */
  get size(): number {
    return this.#used.size;
  }

  get used(): number {
    return this.#used.count;
  }

  isTaken(index: number): boolean {
    return this.#used.has(index);
  }

  /** Takes the next free range; undefined when there is none. */
  allocate(): number | undefined {
    const index = this.#used.nextFree(this.#next);
    if (index === undefined) return undefined;
    const tries = (index - this.#next + this.size) % this.size;
    this.#next = (index + 1) % this.size;
    this.#used.add({ begin: index, end: index });
    this.#observer?.searched(tries);
    this.#tell(1, 0);
    return index;
  }

  /** Takes them all, be it that some of them are taken already. */
  occupy(span: Span): void {
    this.#tell(this.#used.add(span), 0);
  }

  /** Gives how many of them were taken. */
  release(span: Span): number {
    const released = this.#used.remove(span);
    this.#tell(0, released);
    return released;
  }

  /** The ranges that have addresses in common with this one. Throws a NodeRangeError when there is none. */
  spanOf(cidr: Cidr): Span {
    if (!overlap(this.cidr, cidr))
      throw new NodeRangeError(
        `cidr ${formatCidr(cidr)} is out the range of cluster cidr ${formatCidr(this.cidr)}`,
      );
    if (cidr.length <= this.cidr.length) return { begin: 0, end: this.size - 1 };
    const begin = Number((cidr.base - this.cidr.base) >> this.#hostBits);
    return { begin, end: begin + 2 ** Math.max(0, this.#length - cidr.length) - 1 };
  }

  cidrAt(index: number): Cidr {
    const { family, base } = this.cidr;
    return { family, base: base + (BigInt(index) << this.#hostBits), length: this.#length };
  }

  get #hostBits(): bigint {
    return BigInt(widthOf(this.cidr.family) - this.#length);
  }

  #tell(allocated: number, released: number): void {
    this.#observer?.changed(allocated, released, this.used / this.size);
  }
}
