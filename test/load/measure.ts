import { parseJson } from "../../pkg/api/wire-json.ts";
import { cpuTimeMs } from "../harness/cpu-time.ts";
import type { Asked, LoadStage } from "./stage.ts";

/** What a request may hold the event loop for, on a quiet machine like the one that this was written on. */
const LIMIT_MS = 50;
/** What that machine computes for the yardstick. */
const YARDSTICK_MS = 15;
/** A first go may have to compile, and any may have to collect garbage: too long is what is so each time. */
const GOES = 5;

const text = JSON.stringify(
  Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`key-${at}`, "value"])),
);

/** How much slower this machine is at the moment than it could be: it has others to work for, or is another one. */
function slowness(): number {
  const ms = cpuTimeMs(() => JSON.stringify(parseJson(text)));
  return Math.max(1, ms / YARDSTICK_MS);
}

export interface Measured {
  readonly status: number;
  /** By the shortest of several goes, as if the machine were quiet. */
  readonly longestMs: number;
  readonly isTooLong: boolean;
}

/** Sends the request again while its longest turn is too long; `before` is sent before each time. */
export async function measure(
  stage: LoadStage,
  asked: Asked,
  before: readonly Asked[] = [],
): Promise<Measured> {
  let shortest = Infinity;
  let status = 0;
  for (let go = 0; go < GOES && shortest > LIMIT_MS; go++) {
    for (const one of before) await stage.send(one);
    const sent = await stage.send(asked);
    if (go === 0) ({ status } = sent.answer);
    shortest = Math.min(shortest, sent.longestMs);
    if (shortest > LIMIT_MS) shortest = Math.min(shortest, sent.longestMs / slowness());
  }
  return { status, longestMs: shortest, isTooLong: shortest > LIMIT_MS };
}
