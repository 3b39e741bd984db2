import type { CidrSet } from "./cidr-set.ts";
import type { Span } from "./index-set.ts";

/**
 * Who has which ranges of a cluster's range. Two may have the same: Nodes that somebody has given their ranges by hand,
 * a Node with a range of another size, the range of Services. What one of them gives up is free only where nobody else
 * has it.
 */
export class SharedSpans {
  readonly set: CidrSet;
  /** How many have exactly this one range, which is the rule. */
  readonly #single = new Map<number, number>();
  /** Those that have several ranges. */
  readonly #wide = new Set<Span>();

  constructor(set: CidrSet) {
    this.set = set;
  }

  /** Takes the next free range; undefined when there is none. */
  allocate(): Span | undefined {
    const index = this.set.allocate();
    if (index === undefined) return undefined;
    this.#single.set(index, 1);
    return { begin: index, end: index };
  }

  /** The span that is given back is what `drop` takes. */
  hold(span: Span): Span {
    if (isSingle(span)) this.#single.set(span.begin, (this.#single.get(span.begin) ?? 0) + 1);
    else this.#wide.add(span);
    this.set.occupy(span);
    return span;
  }

  /** Gives how many ranges are free by that. */
  drop(span: Span): number {
    if (!isSingle(span)) {
      if (!this.#wide.delete(span)) return 0;
    } else if (!this.#dropSingle(span.begin)) return 0;
    const kept = this.#spansWithin(span);
    return gapsOf(span, kept).reduce((sum, gap) => sum + this.set.release(gap), 0);
  }

  /** Whether others have some of these ranges, too. */
  isShared(span: Span): boolean {
    if (isSingle(span) && (this.#single.get(span.begin) ?? 0) > 1) return true;
    return [...this.#wide].some(
      (other) => other !== span && other.begin <= span.end && other.end >= span.begin,
    );
  }

  /** False when others have it, or nobody had it. */
  #dropSingle(index: number): boolean {
    const holders = this.#single.get(index) ?? 0;
    if (holders > 1) this.#single.set(index, holders - 1);
    else this.#single.delete(index);
    return holders === 1;
  }

  /** What others have of these ranges, in order. */
  #spansWithin(span: Span): readonly Span[] {
    const found: Span[] = [];
    for (const { begin, end } of this.#wide) {
      if (begin > span.end || end < span.begin) continue;
      const part = { begin: Math.max(begin, span.begin), end: Math.min(end, span.end) };
      // Nothing is left to be found.
      if (part.begin === span.begin && part.end === span.end) return [part];
      found.push(part);
    }
    if (!isSingle(span)) {
      for (const index of this.#single.keys())
        if (index >= span.begin && index <= span.end) found.push({ begin: index, end: index });
    }
    return found.sort((one, other) => one.begin - other.begin);
  }
}

function isSingle({ begin, end }: Span): boolean {
  return begin === end;
}

/** What of the span is in none of these parts of it, which are in order and may overlap. */
function gapsOf(span: Span, parts: readonly Span[]): readonly Span[] {
  const gaps: Span[] = [];
  let next = span.begin;
  for (const { begin, end } of parts) {
    if (begin > next) gaps.push({ begin: next, end: begin - 1 });
    next = Math.max(next, end + 1);
  }
  if (next <= span.end) gaps.push({ begin: next, end: span.end });
  return gaps;
}
