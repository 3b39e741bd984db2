import { realClock } from "../../../pkg/clock/real.ts";

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Something on the way to a cluster is done. */
export function sayStep(what: string): void {
  say(`${sinceStart().padStart(7)} s  ${what}`);
}

/** Seconds since this process has begun. */
export function sinceStart(): string {
  return (realClock.monotonicMs() / 1_000).toFixed(2);
}

export function isTerminal(): boolean {
  return process.stdout.isTTY && process.env["TERM"] !== "dumb";
}
