/** What stands where instead. */
export interface Edit {
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody could make. */
export interface Mutant extends Edit {
  readonly name: string;
  /** Where two things keep the same from going wrong, each hides that the other is missing. */
  readonly also?: Edit;
}
