/** The letters of a text as Go counts them: surrogate pairs are one. */
export function codePoints(text: string): readonly string[] {
  return text.match(/[^]/gu) ?? [];
}
