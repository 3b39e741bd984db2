import { messageOf } from "../../../pkg/api/errors.ts";
import { readFile } from "node:fs/promises";
import type { Clock, Timer } from "../../../pkg/clock/clock.ts";
import type { Logger } from "../../../pkg/log/logger.ts";

/** Well within the minute that upstream may take; reading a few small files costs nothing. */
const PERIOD_MS = 10_000;

export interface WatchedFiles {
  stop(): void;
}

/**
 * Calls `apply` with the contents of all the files whenever a byte of them has changed. Files are read again and again
 * rather than watched: mounted Secrets are swapped by symbolic links, which file events miss. What cannot be read or
 * applied is logged once, and what was applied before stays.
 */
export function watchFiles(
  paths: readonly string[],
  before: readonly Buffer[],
  apply: (contents: readonly Buffer[]) => void,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): WatchedFiles {
  let known = before;
  let complaint = "";
  let stopped = false;
  let timer: Timer | undefined;

  const look = async (): Promise<void> => {
    try {
      const contents = await Promise.all(paths.map(async (path) => readFile(path)));
      if (stopped) return;
      if (contents.some((content, index) => known[index]?.equals(content) !== true)) {
        known = contents;
        apply(contents);
        log.info("Loaded changed files", { paths });
      }
      complaint = "";
    } catch (error) {
      const message = messageOf(error);
      if (message !== complaint)
        log.error(error, "Changed files cannot be used; the old ones stay", { paths });
      complaint = message;
    }
  };
  const arm = (): void => {
    timer = clock.setTimer(PERIOD_MS, () => {
      void look().finally(() => {
        if (!stopped) arm();
      });
    });
  };
  arm();
  return {
    stop: () => {
      stopped = true;
      timer?.cancel();
    },
  };
}
