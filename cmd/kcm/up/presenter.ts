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

export interface LogTailOptions {
  readonly write: (line: string) => void;
  /** On a terminal the log must not write over the view: warnings and errors become a part of it. */
  readonly isTerminal: boolean;
  /** Whether lines are wanted that tell of nothing wrong. */
  readonly isVerbose: boolean;
}

/** Where the log of the controllers goes. */
export class LogTail implements LogDestination {
  readonly problems: string[] = [];
  readonly #options: LogTailOptions;

  constructor(options: LogTailOptions) {
    this.#options = options;
  }

  write(line: string): void {
    const { write, isTerminal, isVerbose } = this.#options;
    const isInfo = line.startsWith("I");
    if (isTerminal ? isInfo : isInfo && !isVerbose) return;
    if (isTerminal) this.note(line.trimEnd());
    else write(line);
  }

  /** Shows the line with what went wrong lately. */
  note(line: string): void {
    this.problems.push(line);
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

/** A line now and then, where there is no terminal: only when pods or queues are other than they were. */
export function showAsLines(say: (line: string) => void, { observer }: LiveViewParts): LiveView {
  let said = statusLine(observer.look());
  return every(STATUS_MS, () => {
    const line = statusLine(observer.look());
    if (line !== said) say(line);
    said = line;
  });
}

function statusLine({ controllers, phases }: Observation): string {
  const queued = controllers.reduce((sum, { queued }) => sum + queued, 0);
  const pods = phases.filter(([, count]) => count > 0).map(([phase, count]) => `${count} ${phase}`);
  return `pods: ${pods.join(", ") || "none"}; queued: ${queued}`;
}

function every(periodMs: number, act: () => void): LiveView {
  const again = (): void => {
    act();
    timer = realClock.setTimer(periodMs, again);
  };
  let timer = realClock.setTimer(periodMs, again);
  return { close: () => timer.cancel() };
}
