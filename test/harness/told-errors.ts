import { messageOf } from "../../pkg/api/errors.ts";
import { type Logger, silentLogger } from "../../pkg/log/logger.ts";

/** A log, and what it was told of as an error, as "what happened: the error". */
export function toldErrors(): { readonly log: Logger; readonly told: string[] } {
  const told: string[] = [];
  const log: Logger = {
    ...silentLogger,
    child: () => log,
    error: (error, message) => told.push(`${message}: ${messageOf(error)}`),
  };
  return { log, told };
}
