const LOW_PRIME = 0x13b;
const TWO_32 = 2 ** 32;

type Limbs = readonly [number, number, number, number];

/** FNV-1a, 128 bits, of a text that may come in parts. */
export class Fnv128a {
  // From the lowest limb to the highest.
  #limbs: Limbs = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e];

  add(text: string): this {
    let [a, b, c, d] = this.#limbs;
    for (const byte of Buffer.from(text)) {
      const mixed = (a ^ byte) >>> 0;
      // The prime is 2^88 + 0x13b: 88 bits are two limbs and 24 bits more.
      const low = mixed * LOW_PRIME;
      const second = b * LOW_PRIME + Math.floor(low / TWO_32);
      const third = c * LOW_PRIME + Math.floor(second / TWO_32) + ((mixed << 24) >>> 0);
      const fourth = d * LOW_PRIME + Math.floor(third / TWO_32) + (((b << 24) | (mixed >>> 8)) >>> 0);
      [a, b, c, d] = [low >>> 0, second >>> 0, third >>> 0, fourth >>> 0];
    }
    this.#limbs = [a, b, c, d];
    return this;
  }

  /** 32 hexadecimal digits. */
  digest(): string {
    return this.#limbs
      .toReversed()
      .map((limb) => limb.toString(16).padStart(8, "0"))
      .join("");
  }
}

export function fnv128a(text: string): string {
  return new Fnv128a().add(text).digest();
}
