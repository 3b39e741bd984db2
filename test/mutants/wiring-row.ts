import type { Mutant } from "./mutant.ts";

export const here = "cmd/kube-controller-manager";
export const tested = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `${here}/${name}.test.ts`);

/** A mistake in a file of the program, and the test beside it that notices. */
export function row(
  name: string,
  file: string,
  [find, replace]: readonly [find: string, replace: string],
  tests: readonly string[],
): Mutant {
  return { name, file: `${here}/${file}`, find, replace, tests };
}
