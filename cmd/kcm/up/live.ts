import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { readExample, showExample } from "./example.ts";
import type { LatePrograms } from "./late-programs.ts";
import { Observer } from "./observer.ts";
import { isTerminal, say } from "./output.ts";
import { type LiveView, type LogTail, showAsLines, showOnScreen } from "./presenter.ts";
import type { Started } from "./start.ts";

/** The live view begins once the example works, or after this long. */
const EXAMPLE_LIMIT_MS = 10_000;

export interface LiveParts {
  readonly started: Started;
  readonly programs: LatePrograms;
  readonly startedMs: number;
  readonly tail: LogTail;
  readonly hints: readonly string[];
  /** Whether a new cluster gets something to look at, and whether that comes to work. */
  readonly example: "works" | "waits" | "none";
}

/** Shows the cluster at work. Resolves with the signal; rejects when a controller fails. */
export async function live(
  { started, programs, startedMs, tail, hints, example }: LiveParts,
  stop: AbortSignal,
): Promise<void> {
  const { base, access, isNew } = started;
  const observer = new Observer(base.server.parts.store, programs, realClock);
  const parts = { observer, url: access.url, startedMs, hints };
  // In a cluster that was there before, users have made of the example what they want.
  const showing = example !== "none" && isNew ? presentExample(started, example, stop) : Promise.resolve();
  await Promise.race([showing, sleep(realClock, EXAMPLE_LIMIT_MS)]);
  for (const hint of hints) say(`  ${hint}`);
  if (stop.aborted) return;
  const view: LiveView = isTerminal() ? showOnScreen(process.stdout, tail, parts) : showAsLines(say, parts);
  try {
    await Promise.race([aborted(stop), failureOf(programs.ended), failureOf(showing)]);
  } finally {
    view.close();
    parts.observer.close();
  }
}

async function presentExample(
  { base }: Started,
  example: LiveParts["example"],
  stop: AbortSignal,
): Promise<void> {
  const objects = readExample();
  if (objects === undefined) return;
  try {
    await showExample(objects, base.client("admin"), { say, isFollowed: example === "works" }, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** Rejects with what the work fails with; its success is no news. */
async function failureOf(work: Promise<void>): Promise<never> {
  await work;
  return new Promise(() => undefined);
}
