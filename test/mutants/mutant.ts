/** What stands where instead. */
export interface Edit {
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody could make, and the tests that must notice it. */
export interface Mutant extends Edit {
  /** What the program does wrong: "labels a stranger's pod". */
  readonly name: string;
  /** Test files, one of which at least must fail. */
  readonly tests: readonly string[];
  /** Where two things keep the same from going wrong, each hides that the other is missing. */
  readonly also?: Edit;
}

/** For many mistakes of one part of the program: what goes wrong, the file, what stands there, and what instead. */
export function mutantsOf(
  part: string,
  tests: readonly string[],
): (name: string, file: string, find: string, replace: string) => Mutant {
  return (name, file, find, replace) => ({ name: `${part}: ${name}`, file, find, replace, tests });
}

export function editsOf({ file, find, replace, also }: Omit<Mutant, "tests" | "name">): readonly Edit[] {
  return also === undefined ? [{ file, find, replace }] : [{ file, find, replace }, also];
}

/** The source with the edits that are for this file; `undefined` where none is. */
export function edited(path: string, source: string, edits: readonly Edit[]): string | undefined {
  const here = edits.filter(({ file }) => path.endsWith(`/${file}`));
  if (here.length === 0) return undefined;
  let text = source;
  for (const { file, find, replace } of here) {
    if (text.split(find).length !== 2) throw new Error(`${file} does not have exactly one ${find}`);
    text = text.replace(find, () => replace);
  }
  return text;
}
