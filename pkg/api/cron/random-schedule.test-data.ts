import { type Random, randomBelow } from "../../clock/random.ts";

/** Five fields of stars, numbers, ranges, steps and lists of them, all valid. */
export function randomSchedule(random: Random): string {
  return [
    randomField(random, 0, 59),
    randomField(random, 0, 23),
    randomField(random, 1, 31),
    randomField(random, 1, 12),
    randomField(random, 0, 6),
  ].join(" ");
}

function randomField(random: Random, minimum: number, maximum: number): string {
  if (random.next() < 0.35) return random.next() < 0.9 ? "*" : "?";
  const count = random.next() < 0.7 ? 1 : 1 + randomBelow(random, 3);
  return Array.from({ length: count }, () => randomRange(random, minimum, maximum)).join(",");
}

function randomRange(random: Random, minimum: number, maximum: number): string {
  const low = minimum + randomBelow(random, maximum - minimum + 1);
  const step = 1 + randomBelow(random, maximum);
  switch (randomBelow(random, 5)) {
    case 0:
      return `*/${step}`;
    case 1:
      return `${low}/${step}`;
    case 2:
      return `${low}-${low + randomBelow(random, maximum - low + 1)}`;
    case 3:
      return `${low}-${low + randomBelow(random, maximum - low + 1)}/${step}`;
    default:
      return `${low}`;
  }
}
