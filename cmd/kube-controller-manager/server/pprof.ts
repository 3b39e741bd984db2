import type { HeapProfiler } from "node:inspector";

/** A whole number of a field, which is left out of messages where it is 0. */
type Field = readonly [number: number, value: number | string | Uint8Array];

/** What is known of a profile besides its samples. */
export interface ProfileFacts {
  /** When sampling began, and how long it took. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Bytes between two samples, on average. */
  readonly periodBytes: number;
}

type Node = HeapProfiler.SamplingHeapProfileNode;

/**
 * A heap profile of V8 in the form of Go's profiles (github.com/google/pprof, profile.proto), before it is compressed. It
 * tells which functions allocated how many of the bytes in use; nothing that was in them.
 */
export function heapProfile(head: Node, facts: ProfileFacts): Buffer {
  const strings = new Numbered<string>();
  strings.numberOf("");
  const space = message([1, strings.numberOf("inuse_space") - 1], [2, strings.numberOf("bytes") - 1]);
  const functions = new Numbered<string>();
  const locations = new Numbered<string>();
  const parts: Field[] = [];
  const locationOf = ({ functionName, url, lineNumber }: Node["callFrame"]): number => {
    const line = lineNumber + 1;
    const name = functionName || "(anonymous)";
    const functionId = functions.numberOf(`${name}\n${url}`, () => {
      const nameIndex = strings.numberOf(name) - 1;
      const file = strings.numberOf(url) - 1;
      parts.push([5, message([1, functions.size], [2, nameIndex], [3, nameIndex], [4, file])]);
    });
    return locations.numberOf(`${functionId}:${line}`, () => {
      const where = message([1, functionId], [2, Math.max(line, 0)]);
      parts.push([4, message([1, locations.size], [4, where])]);
    });
  };
  const visit = (node: Node, callers: readonly number[]): void => {
    const isRoot = node.callFrame.functionName === "(root)";
    const stack = isRoot ? callers : [locationOf(node.callFrame), ...callers];
    if (node.selfSize > 0 && stack.length > 0) {
      parts.push([2, message([1, packed(stack)], [2, packed([node.selfSize])])]);
    }
    for (const child of node.children) visit(child, stack);
  };
  visit(head, []);
  return message(
    [1, space],
    ...parts,
    ...strings.values().map((text): Field => [6, text]),
    [9, Math.round(facts.startMs) * 1_000_000],
    [10, Math.round(facts.durationMs) * 1_000_000],
    [11, space],
    [12, facts.periodBytes],
  );
}

/** Gives each value a number, from 1 on. */
class Numbered<T> {
  readonly #numbers = new Map<T, number>();

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(value: T, onNew?: () => void): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(value, number);
    onNew?.();
    return number;
  }

  values(): readonly T[] {
    return [...this.#numbers.keys()];
  }
}

function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === "number") return value === 0 ? [] : [varint(number * 8), varint(value)];
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      return [varint(number * 8 + 2), varint(bytes.length), bytes];
    }),
  );
}

function packed(numbers: readonly number[]): Buffer {
  return Buffer.concat(numbers.map(varint));
}

/** Seven bits a byte, the lowest first. Nanoseconds of today need more than a double holds exactly. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt(Math.round(value));
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}
