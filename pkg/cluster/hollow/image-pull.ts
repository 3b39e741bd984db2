/** An image whose name has this in it cannot be pulled. */
export const MISSING_IMAGE = "does-not-exist";

export interface PullState {
  readonly reason: "ErrImagePull" | "ImagePullBackOff";
  readonly message: string;
  /** When that changes; undefined: never. */
  readonly changesAtMs: number | undefined;
}

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;
/** How long the failure itself is shown before the back-off is. */
const SHOWN_MS = 3_000;

/** What the container runtime says. */
export function pullProblem(image: string): string {
  const name = image.includes("/") ? image : `docker.io/library/${image}`;
  const full = /:[^/]*$/.test(name) ? name : `${name}:latest`;
  return (
    `rpc error: code = NotFound desc = failed to pull and unpack image "${full}": ` +
    `failed to resolve reference "${full}": ${full}: not found`
  );
}

/** The first failure, and then a back-off for ever. */
export function pullOnce(image: string, hasFailed: boolean): PullState {
  const failure = { reason: "ErrImagePull", message: pullProblem(image), changesAtMs: undefined } as const;
  return hasFailed ? backOff(image, undefined) : failure;
}

/**
 * Tried at once, and again after 10 s, 20 s … 5 min. Where that stands follows from the time since the first try alone, so
 * that nothing has to be remembered.
 */
export function pullAgainAndAgain(image: string, sinceMs: number, nowMs: number): PullState {
  let triedMs = sinceMs;
  let pauseMs = FIRST_PAUSE_MS;
  while (pauseMs < LONGEST_PAUSE_MS && triedMs + pauseMs <= nowMs) {
    triedMs += pauseMs;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
  triedMs += Math.floor((nowMs - triedMs) / pauseMs) * pauseMs;
  const shownUntilMs = triedMs + SHOWN_MS;
  if (nowMs < shownUntilMs)
    return { reason: "ErrImagePull", message: pullProblem(image), changesAtMs: shownUntilMs };
  return backOff(image, triedMs + pauseMs);
}

function backOff(image: string, changesAtMs: number | undefined): PullState {
  const message = `Back-off pulling image "${image}": ErrImagePull: ${pullProblem(image)}`;
  return { reason: "ImagePullBackOff", message, changesAtMs };
}
