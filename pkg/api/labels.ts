/** A parsed label selector. */
export interface LabelSelector {
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  readonly empty: boolean;
  toString(): string;
}
