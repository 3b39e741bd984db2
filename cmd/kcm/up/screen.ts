import type { ScreenSize } from "./view.ts";

/** A terminal, as far as it is used here. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
/** Between these a terminal that knows them shows nothing of what is half drawn. */
const BEGIN_FRAME = "\x1b[?2026h";
const END_FRAME = "\x1b[?2026l";

/** The alternate screen of a terminal; what was on it before comes back at the end. */
export class Screen {
  readonly #terminal: Terminal;
  #shown: readonly string[] = [];
  #size = "";
  #isOpen = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get size(): ScreenSize {
    return { columns: this.#terminal.columns, rows: this.#terminal.rows };
  }

  /** Writes only the lines that are other than before, over the old ones. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) this.#terminal.write(ENTER);
    this.#isOpen = true;
    const size = `${this.#terminal.columns}x${this.#terminal.rows}`;
    if (size !== this.#size) this.#shown = [];
    let text = this.#shown.length === 0 ? "\x1b[2J" : "";
    lines.forEach((line, index) => {
      if (line !== this.#shown[index]) text += `\x1b[${index + 1};1H${line}\x1b[K`;
    });
    this.#size = size;
    this.#shown = lines;
    if (text !== "") this.#terminal.write(`${BEGIN_FRAME}${text}${END_FRAME}`);
  }

  /** May be called at any time, and twice. */
  close(): void {
    if (this.#isOpen) this.#terminal.write(LEAVE);
    this.#isOpen = false;
    this.#shown = [];
  }
}
