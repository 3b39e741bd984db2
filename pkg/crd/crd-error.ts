/** One thing that is wrong with a definition. */
export interface CrdProblem {
  /** Where, as the author sees it: `spec.replicas.type`, `printerColumns[0].jsonPath`. */
  readonly place: string;
  readonly message: string;
}

/** A definition that no API server would take, or whose schema has no form that one would understand. */
export class CrdError extends Error {
  readonly code = "Crd";
  readonly problems: readonly CrdProblem[];

  constructor(name: string, problems: readonly CrdProblem[], cause?: unknown) {
    const lines = problems.map(({ place, message }) => (place === "" ? message : `${place}: ${message}`));
    const said = lines.length === 1 ? ` ${lines[0] ?? ""}` : lines.map((line) => `\n  ${line}`).join("");
    super(`${name}:${said}`, cause === undefined ? undefined : { cause });
    this.name = "CrdError";
    this.problems = problems;
  }
}
