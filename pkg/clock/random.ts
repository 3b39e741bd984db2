/** Chance as the program sees it: the real source is in real.ts, a seeded one below. */
export interface Random {
  /** A float in [0, 1). */
  next(): number;
}

/** `baseMs` lengthened by a random share of up to `factor` (client-go's wait.Jitter). */
export function jitter(random: Random, baseMs: number, factor: number): number {
  return baseMs + random.next() * (factor > 0 ? factor : 1) * baseMs;
}

/** An integer in [0, bound). */
export function randomBelow(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

const HEX = "0123456789abcdef";

/** A version 4 UUID. */
export function randomUuid(random: Random): string {
  const digits: string[] = [];
  for (let position = 0; position < 36; position++) {
    if (position === 8 || position === 13 || position === 18 || position === 23) digits.push("-");
    else if (position === 14) digits.push("4");
    else if (position === 19) digits.push(HEX.charAt(8 + randomBelow(random, 4)));
    else digits.push(HEX.charAt(randomBelow(random, 16)));
  }
  // A text that grows by letters is kept as all of its pieces, 800 bytes, until somebody reads it.
  return digits.join("");
}

/** A reproducible source (sfc32 seeded through splitmix32): the same seed gives the same sequence everywhere. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const split = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  let [a, b, c, counter] = [split(), split(), split(), 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let warmUp = 0; warmUp < 12; warmUp++) next();
  return { next };
}
