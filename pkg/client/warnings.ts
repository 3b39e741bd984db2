import { LRUCache } from "lru-cache";
import type { Logger } from "../log/logger.ts";

const REMEMBERED = 2_048;
/** RFC 7234: `299 agent "text"`, with `\"` and `\\` inside the text; several are joined by commas. */
const WARNING = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"/g;

/** The texts of the miscellaneous persistent warnings (code 299), the only ones that API servers send. */
export function parseWarnings(header: string): string[] {
  const texts: string[] = [];
  for (const [, code, , quoted] of header.matchAll(WARNING)) {
    if (code === "299" && quoted) texts.push(quoted.replaceAll(/\\(.)/g, "$1"));
  }
  return texts;
}

/** Logs each warning of the API server once (again only after 2,048 others). */
export class WarningLog {
  readonly #log: Logger;
  /** Not by `max`, for which all places are made at once: hardly any client ever meets a warning. */
  readonly #seen = new LRUCache<string, true>({ maxSize: REMEMBERED, sizeCalculation: () => 1 });

  constructor(log: Logger) {
    this.#log = log;
  }

  record(headers: Readonly<Record<string, string>>): void {
    const header = headers["warning"];
    if (header === undefined) return;
    for (const text of parseWarnings(header)) {
      if (this.#seen.get(text)) continue;
      this.#seen.set(text, true);
      this.#log.warn(text, { source: "API server" });
    }
  }
}
