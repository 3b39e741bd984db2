import type { Clock } from "../../clock/clock.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import { DataDirectoryError, FileJournal } from "./file-journal.ts";
import { nodeJournalFiles } from "./node-journal-files.ts";
import { Store } from "./store.ts";

/** A store that lives in a directory. Throws a DataDirectoryError, one line, when that cannot be used. */
export function persistentStore(directory: string, clock: Clock, log: Logger = silentLogger): Store {
  try {
    return new Store({ clock, journal: new FileJournal({ files: nodeJournalFiles(directory), clock, log }) });
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new DataDirectoryError(directory, (error as Error).message, error);
  }
}
