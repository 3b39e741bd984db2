const MOST_NAMED = 3;

/** Those of the names that somebody who wrote this may have meant: the most alike first, a few at most. */
export function nearestNames(written: string, names: Iterable<string>): readonly string[] {
  const meant = distinctPart(written);
  const farthest = Math.max(2, Math.floor(meant.length / 3));
  return [...names]
    .map((name) => ({ name, distance: editDistance(distinctPart(name), meant) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
    .slice(0, MOST_NAMED)
    .map(({ name }) => name);
}

/** What tells names apart that nearly all end the same. */
function distinctPart(name: string): string {
  return name.toLowerCase().replace(/-controller$/, "");
}

/** How many letters must be put in, left out or replaced. */
export function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replace = (row[j - 1] ?? 0) + (left.charAt(i - 1) === right.charAt(j - 1) ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
