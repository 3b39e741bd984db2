/** One call of kubectl in the first hour. */
export interface Call {
  readonly args: readonly string[];
  /** What is handed to kubectl as a file: `-f` of it is added. */
  readonly manifest?: string;
  /** 0 when left out. */
  readonly exitCode?: number;
  /** What it must have said, in the end if it has to be asked again and again. */
  readonly says?: RegExp;
  /** Asked until it says that. */
  readonly isPolled?: boolean;
  /** How long it takes, and what is said on the way, are a matter of chance: what it says is not compared. */
  readonly isWait?: boolean;
}

/** Something that people do in their first hour, with all that they type for it. */
export interface Step {
  readonly name: string;
  readonly calls: readonly Call[];
}

/** A call that succeeds. Words are split at spaces: none of them needs one. */
export function run(command: string, says?: RegExp): Call {
  return { args: command.split(" "), ...(says !== undefined && { says }) };
}

/** A call that is refused, with exit code 1. */
export function refused(command: string, says: RegExp): Call {
  return { ...run(command, says), exitCode: 1 };
}

export function apply(manifest: string, says?: RegExp): Call {
  return { ...run("apply", says), manifest };
}

export function refusedManifest(manifest: string, says: RegExp): Call {
  return { ...apply(manifest, says), exitCode: 1 };
}

/** Asked until it says so. */
export function until(command: string, says: RegExp): Call {
  return { ...run(command, says), isPolled: true };
}

export function wait(command: string): Call {
  return { ...run(command), isWait: true };
}
