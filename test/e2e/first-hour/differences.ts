import type { Said } from "./stage.ts";

/** Lines of one call that only one of two clusters has said. */
export interface Difference {
  readonly call: string;
  /** "-" before what only the real one has said, "+" before what only the other has. */
  readonly lines: readonly string[];
}

/** Of two clusters that were asked the same. */
export function differencesOf(real: readonly Said[], other: readonly Said[]): readonly Difference[] {
  return real.flatMap(({ step, call, lines }, index) => {
    const others = other[index]?.lines ?? [];
    const different = [
      ...without(lines, others).map((line) => `- ${line}`),
      ...without(others, lines).map((line) => `+ ${line}`),
    ];
    return different.length === 0 ? [] : [{ call: `${step}: ${call}`, lines: different }];
  });
}

/** Each line of `less` counts once. */
function without(lines: readonly string[], less: readonly string[]): readonly string[] {
  const left = [...less];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
