// Preloaded into programs that tests start: puts the edits of MUTANT_EDITS into what is loaded.
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Edit, edited } from "./mutant.ts";

const edits = JSON.parse(process.env["MUTANT_EDITS"] ?? "[]") as readonly Edit[];

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:") || loaded.source === undefined || loaded.source === null) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    const text = edited(fileURLToPath(url), source, edits);
    return text === undefined ? loaded : { ...loaded, source: text };
  },
});
