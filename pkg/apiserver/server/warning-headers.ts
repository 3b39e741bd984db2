/** Of all warnings of an answer together, in characters: more than this, and each is cut. */
const MOST_CHARACTERS = 4096;
const MOST_WHEN_CUT = 256;

/**
 * The lines of the Warning header, each text once. Clients have no room for thousands: where they are too long together,
 * each is cut, and then the first of them stand for all. upstream: k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */
export function warningLines(warnings: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  let characters = 0;
  let isCut = false;
  for (const text of warnings) {
    if (texts.has(text)) continue;
    if (isCut && characters >= MOST_CHARACTERS) break;
    texts.add(text);
    characters += isCut ? Math.min(lengthOf(text), MOST_WHEN_CUT) : lengthOf(text);
    if (isCut || characters <= MOST_CHARACTERS) continue;
    isCut = true;
    characters = 0;
    for (const before of texts) characters += Math.min(lengthOf(before), MOST_WHEN_CUT);
  }
  return [...texts].map((text) => `299 - ${JSON.stringify(isCut ? cut(text) : text)}`);
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function cut(text: string): string {
  return text.length <= MOST_WHEN_CUT ? text : Array.from(text).slice(0, MOST_WHEN_CUT).join("");
}
