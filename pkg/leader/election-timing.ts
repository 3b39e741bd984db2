export interface ElectionTiming {
  /** How long others wait for a sign of life before they take over. */
  readonly leaseDurationMs: number;
  /** How long the leader tries to renew before it gives up. */
  readonly renewDeadlineMs: number;
  /** Between two tries. */
  readonly retryPeriodMs: number;
}

/** Candidates spread their tries over 1 to 2.2 retry periods. */
export const JITTER_FACTOR = 1.2;

export class ElectionTimingError extends Error {
  readonly code = "InvalidTiming";
  constructor(message: string) {
    super(message);
    this.name = "ElectionTimingError";
  }
}

/** Throws what client-go says of durations that cannot work. */
export function checkTiming(timing: ElectionTiming): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timing;
  if (leaseDurationMs <= renewDeadlineMs) {
    throw new ElectionTimingError("leaseDuration must be greater than renewDeadline");
  }
  if (renewDeadlineMs <= retryPeriodMs * JITTER_FACTOR) {
    throw new ElectionTimingError("renewDeadline must be greater than retryPeriod*JitterFactor");
  }
  if (leaseDurationMs <= 0) throw new ElectionTimingError("leaseDuration must be greater than zero");
  if (renewDeadlineMs <= 0) throw new ElectionTimingError("renewDeadline must be greater than zero");
  if (retryPeriodMs <= 0) throw new ElectionTimingError("retryPeriod must be greater than zero");
}
