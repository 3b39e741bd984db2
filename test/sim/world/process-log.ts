import type { LogFields, Logger } from "../../../pkg/log/logger.ts";
import { OrderError } from "./wire.ts";
import type { Trace } from "./trace.ts";

/** Verbosity of decisions and their reasons. */
const REASONS = 2;

/** Puts what a process says into the trace, and calls back for errors that only a mistake in the program makes. */
export function processLog(
  trace: Trace | undefined,
  actor: string,
  onMistake: (error: unknown, message: string) => void,
  context: LogFields = {},
): Logger {
  // A list for each resource, at every start: too many lines for what they tell.
  const isChatter = context["component"] === "informers";
  const say = (message: string, fields: LogFields = {}): void => {
    trace?.add(actor, message, textOf({ ...context, ...fields }));
  };
  return {
    error: (error, message, fields) => {
      if (isMistake(error)) onMistake(error, message);
      say(`${message}: ${String(error)}`, fields);
    },
    warn: say,
    info: (message, fields) => {
      if (!isChatter) say(message, fields);
    },
    verbose: (level, message, fields) => {
      if (level <= REASONS && !isChatter) say(message, fields);
    },
    enabled: (level) => trace !== undefined && level <= REASONS,
    child: (fields) => processLog(trace, actor, onMistake, { ...context, ...fields }),
  };
}

function isMistake(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isMistake);
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof OrderError ||
    (error instanceof Error && error.cause !== undefined && isMistake(error.cause))
  );
}

function textOf(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([name, value]) => value !== undefined && name !== "reconcileId")
    .map(([name, value]) => `${name}=${value instanceof Error ? value.message : String(value)}`)
    .join(" ");
}
