import { LRUCache } from "lru-cache";
import { RE2JS, RE2JSException } from "re2js";

/** A regular expression that a user wrote, as Go reads it. It is matched in time that grows with the text's length only. */
export interface Pattern {
  readonly matches: (text: string) => boolean;
  /** What it matches, one after the other. */
  readonly find: (text: string) => Iterable<string>;
  /** Instructions of its program: what each character may cost. */
  readonly size: number;
}

/** No pattern that is in use is nearly as long; reading one takes the longer, the longer it is. */
const maxLength = 4096;
const maxEstimate = 20_000;
const remembered = new LRUCache<string, Pattern | PatternError>({ max: 1000 });

export class PatternError extends Error {
  readonly code = "Pattern";
}

/** An error, returned, when it is no pattern. */
export function readPattern(source: string): Pattern | PatternError {
  const known = remembered.get(source);
  if (known !== undefined) return known;
  const made = compile(source);
  remembered.set(source, made);
  return made;
}

function compile(source: string): Pattern | PatternError {
  if (source.length > maxLength) return new PatternError(`it is longer than ${maxLength} characters`);
  if (estimate(source) > maxEstimate) return new PatternError("it repeats too much");
  try {
    const program = RE2JS.compile(source);
    return {
      matches: (text) => program.test(text),
      find: (text) => findIn(program, text),
      size: program.programSize(),
    };
  } catch (error) {
    if (error instanceof RE2JSException) return new PatternError(error.message, { cause: error });
    throw error;
  }
}

function* findIn(program: RE2JS, text: string): Generator<string, void> {
  const matcher = program.matcher(text);
  while (matcher.find()) yield matcher.group() ?? "";
}

const tokens = /\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\{(\d{0,4})(?:,(\d{0,4}))?\}|[^]/gs;

/** About how many instructions a pattern becomes: what is repeated is written out. */
function estimate(source: string): number {
  const groups: number[] = [];
  let total = 0;
  let last = 0;
  for (const [token, low, high] of source.matchAll(tokens)) {
    if (token === "(") {
      groups.push(total);
      total = 0;
    } else if (token === ")") {
      last = total + 2;
      total = last + (groups.pop() ?? 0);
    } else if (low !== undefined) {
      total += last * Math.max(0, Math.max(Number(low), Number(high ?? low)) - 1);
      last = 0;
    } else {
      last = 1;
      total += last;
    }
  }
  return total;
}
