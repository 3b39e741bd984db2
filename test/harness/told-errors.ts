import { messageOf } from "../../pkg/api/errors.ts";
import { type Logger, silentLogger } from "../../pkg/log/logger.ts";
import { type ControllerWorld, newWorld } from "./controller-world.ts";

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

/** A world, and what goes wrong in it. */
export async function newToldWorld(): Promise<{ readonly world: ControllerWorld; readonly told: string[] }> {
  const { log, told } = toldErrors();
  return { world: await newWorld({ log }), told };
}
