/** What is before the first mark, and what is behind it: undefined where there is none. */
export function cut(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + mark.length)];
}
