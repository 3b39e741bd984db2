import { duration } from "../duration.ts";
import type { ControllerFigures, EventLine, Observation } from "./observer.ts";

export interface ViewHead {
  readonly url: string;
  readonly startedMs: number;
  readonly rssBytes: number;
  /** What to type next, most useful first. */
  readonly hints: readonly string[];
  /** What went wrong lately; the newest last. */
  readonly problems: readonly string[];
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

const MOST_PROBLEMS = 3;
const bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;
const dim = (text: string): string => `\x1b[2m${text}\x1b[22m`;
const yellow = (text: string): string => `\x1b[33m${text}\x1b[39m`;

/** The lines of one screen, none wider and not more than fit. Events get what the rest leaves. */
export function viewLines(
  head: ViewHead,
  seen: Observation,
  { columns, rows }: ScreenSize,
): readonly string[] {
  const cut = (text: string): string => fit(text, columns);
  const uptime = duration(seen.nowMs - head.startedMs);
  const mebibytes = Math.round(head.rssBytes / 2 ** 20);
  const title = `kcm  ${head.url}  up ${uptime}  ${mebibytes} MiB  revision ${seen.revision}`;
  const pods = seen.phases.filter(([, count]) => count > 0).map(([phase, count]) => `${phase} ${count}`);
  const top = [
    bold(cut(title)),
    ...head.hints.map((hint) => cut(`  ${hint}`)),
    "",
    dim(cut(controllerRow("CONTROLLER", "QUEUED", "RUNNING", "SYNCS/S"))),
  ];
  const bottom = [
    "",
    cut(`Pods  ${pods.length === 0 ? "none" : pods.join("   ")}`),
    ...head.problems.slice(-MOST_PROBLEMS).map((problem) => yellow(cut(problem))),
    "",
  ];
  const last = dim(cut("Ctrl-C ends the cluster"));
  // Title, controllers and pods go before events; on a small screen even they are cut.
  const room = Math.max(0, rows - top.length - bottom.length - 1);
  const controllers = seen.controllers.slice(0, Math.max(1, room)).map((row) => cut(figuresRow(row)));
  const events = seen.events
    .slice(0, Math.max(0, room - controllers.length - 1))
    .map((event) => eventLine(event, seen.nowMs, columns));
  const body = [...top, ...controllers, ...bottom, ...events];
  while (body.length < rows - 1) body.push("");
  return [...body.slice(0, Math.max(0, rows - 1)), last];
}

function figuresRow({ name, queued, running, syncsPerSecond }: ControllerFigures): string {
  const rate = syncsPerSecond === 0 ? "-" : syncsPerSecond.toFixed(syncsPerSecond < 10 ? 1 : 0);
  return controllerRow(name, String(queued), String(running), rate);
}

function controllerRow(name: string, queued: string, running: string, rate: string): string {
  return `${name.padEnd(44)}${queued.padStart(8)}${running.padStart(9)}${rate.padStart(9)}`;
}

function eventLine(event: EventLine, nowMs: number, columns: number): string {
  const age = duration(nowMs - event.atMs).padStart(7);
  const text = fit(`${age}  ${event.reason.padEnd(20)} ${event.about}  ${event.message}`, columns);
  return event.type === "Warning" ? yellow(text) : text;
}

/** Control characters would move the cursor. */
function fit(text: string, columns: number): string {
  // oxlint-disable-next-line no-control-regex
  const plain = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
  return plain.length <= columns ? plain : `${plain.slice(0, Math.max(0, columns - 1))}…`;
}
