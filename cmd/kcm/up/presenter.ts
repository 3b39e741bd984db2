import { realClock } from "../../../pkg/clock/real.ts";
import type { LogDestination } from "../../../pkg/log/pino.ts";
import type { Observation, Observer } from "./observer.ts";
import { Screen, type Terminal } from "./screen.ts";
import { viewLines } from "./view.ts";

const FRAME_MS = 250;
const STATUS_MS = 10_000;
const PROBLEMS_KEPT = 5;

/** Shows the cluster for as long as it runs. */
export interface LiveView {
  close(): void;
}

export interface LiveViewParts {
  readonly observer: Observer;
  readonly url: string;
  readonly startedMs: number;
  readonly hints: readonly string[];
}

/** On a terminal the log must not write over the view: warnings and errors become a part of it, the rest is dropped. */
export class LogTail implements LogDestination {
  readonly problems: string[] = [];
  readonly #write: (line: string) => void;
  readonly #isTerminal: boolean;

  constructor(write: (line: string) => void, isTerminal: boolean) {
    this.#write = write;
    this.#isTerminal = isTerminal;
  }

  write(line: string): void {
    if (!this.#isTerminal) {
      this.#write(line);
      return;
    }
    if (line.startsWith("I")) return;
    this.problems.push(line.trimEnd());
    if (this.problems.length > PROBLEMS_KEPT) this.problems.shift();
  }
}

/** One screen, drawn anew four times a second. */
export function showOnScreen(terminal: Terminal, tail: LogTail, parts: LiveViewParts): LiveView {
  const screen = new Screen(terminal);
  const leave = (): void => screen.close();
  // Even a crash must leave a terminal that can be used.
  process.on("exit", leave);
  const frames = every(FRAME_MS, () => {
    const head = { ...parts, rssBytes: process.memoryUsage.rss(), problems: tail.problems };
    screen.draw(viewLines(head, parts.observer.look(), screen.size));
  });
  return {
    close: () => {
      frames.close();
      screen.close();
      process.off("exit", leave);
    },
  };
}

/** A line now and then, where there is no terminal: only when something has happened since the last one. */
export function showAsLines(say: (line: string) => void, { observer }: LiveViewParts): LiveView {
  let revision = observer.look().revision;
  return every(STATUS_MS, () => {
    const seen = observer.look();
    if (seen.revision === revision) return;
    revision = seen.revision;
    say(statusLine(seen));
  });
}

function statusLine({ controllers, phases }: Observation): string {
  const queued = controllers.reduce((sum, { queued }) => sum + queued, 0);
  const rate = controllers.reduce((sum, { syncsPerSecond }) => sum + syncsPerSecond, 0);
  const pods = phases.filter(([, count]) => count > 0).map(([phase, count]) => `${count} ${phase}`);
  return `pods: ${pods.join(", ") || "none"}; queued: ${queued}; syncs/s: ${rate.toFixed(1)}`;
}

function every(periodMs: number, act: () => void): LiveView {
  const again = (): void => {
    act();
    timer = realClock.setTimer(periodMs, again);
  };
  let timer = realClock.setTimer(periodMs, again);
  return { close: () => timer.cancel() };
}
