// Preloaded into programs that tests start: puts the edits of MUTANT_EDITS, or the probes, into what is loaded.
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { noteReached } from "./note-reached.ts";
import { planted } from "./planted.ts";

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:") || loaded.source === undefined || loaded.source === null) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    const text = planted(fileURLToPath(url), source);
    return text === undefined ? loaded : { ...loaded, source: text };
  },
});

const { PROBED_TEST: test } = process.env;
if (test !== undefined) {
  const note = (): void => noteReached({ test, failed: false, seconds: 0 });
  process.on("exit", note);
  // Some are killed.
  setInterval(note, 200).unref();
}
