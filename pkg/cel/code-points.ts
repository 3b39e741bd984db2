// The letters of a text as Go counts them: surrogate pairs are one.

/** Of texts that are kept as bytes this is known without a look at them. */
const pairs = /[\uD800-\uDBFF]/;

export function codePoints(text: string): readonly string[] {
  return text.match(/[^]/gu) ?? [];
}

export const lengthOf = (text: string): number =>
  pairs.test(text) ? lettersUpTo(text, Infinity).letters : text.length;

/** From a letter to another. */
export function sliceOf(text: string, start: number, end = Infinity): string {
  if (!pairs.test(text)) return text.slice(start, end);
  const { units: from } = lettersUpTo(text, start);
  return text.slice(from, from + lettersUpTo(text.slice(from), end - start).units);
}

/** Where a letter is, as JavaScript counts. */
export const offsetOf = (text: string, letter: number): number =>
  pairs.test(text) ? lettersUpTo(text, letter).units : letter;

/** The first letters, and the units that they have. */
function lettersUpTo(text: string, most: number): { readonly letters: number; readonly units: number } {
  let letters = 0;
  let units = 0;
  while (units < text.length && letters < most) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
    letters++;
  }
  return { letters, units };
}
