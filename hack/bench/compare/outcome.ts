/** A figure over time, in seconds since the manager (or the load) began. */
export interface Curve {
  readonly unit: string;
  readonly points: [number, number][];
}

/** What one manager did in one round of one workload. */
export interface Outcome {
  /** By the names that the workload declares. */
  readonly figures: Readonly<Record<string, number>>;
  readonly curves: Readonly<Record<string, Curve>>;
}

export interface Goal {
  /** Of the ratio ours/theirs; or of our own figure, where it is absolute. */
  readonly bound: "at most" | "at least";
  readonly value: number;
  readonly absolute?: boolean;
}

export interface Figure {
  readonly label: string;
  readonly unit: string;
  readonly goal?: Goal;
}
