// Started by persistence.test.ts: writes to the directory given until somebody kills this process, and notes each write
// down in the file given once it has returned. Logs are short, so that snapshots are always under way.
import { openSync, writeSync } from "node:fs";
import { realClock } from "../../../pkg/clock/real.ts";
import { FileJournal } from "../../../pkg/apiserver/storage/file-journal.ts";
import { nodeJournalFiles } from "../../../pkg/apiserver/storage/node-journal-files.ts";
import { Store, type Unstored } from "../../../pkg/apiserver/storage/store.ts";

const [directory = "", notes = ""] = process.argv.slice(2);
const files = nodeJournalFiles(directory);
const journal = new FileJournal({ files, clock: realClock, snapshotBytes: 64 * 1024 });
const store = new Store({ clock: realClock, journal });
const file = openSync(notes, "a");

for (;;) {
  const key = `k${store.revision % 97}`;
  const current = store.get("things", key);
  const isRemoval = current !== undefined && store.revision % 7 === 0;
  if (isRemoval) store.remove("things", key, current);
  else {
    const filler = "x".repeat(store.revision % 900);
    store.put("things", key, current, { metadata: { name: key }, filler } as Unstored);
  }
  writeSync(file, `${store.revision} ${key} ${isRemoval ? "removed" : "stored"}\n`);
  if (store.revision % 16 === 0) await realClock.turn();
}
