import { beforeEach, expect, test } from "vitest";
import { Screen } from "./screen.ts";

let written: string[];
const terminal = {
  columns: 80,
  rows: 24,
  write: (text: string): void => {
    written.push(text);
  },
};
const take = (): string => written.splice(0).join("").replaceAll("\x1b", "^");

beforeEach(() => {
  written = [];
  terminal.columns = 80;
});

test("draws on the alternate screen, then only the lines that have changed", () => {
  const screen = new Screen(terminal);
  screen.draw(["a", "b"]);
  expect(take()).toBe("^[?1049h^[?25l^[?2026h^[2J^[1;1Ha^[K^[2;1Hb^[K^[?2026l");
  screen.draw(["a", "c"]);
  expect(take()).toBe("^[?2026h^[2;1Hc^[K^[?2026l");
  screen.draw(["a", "c"]);
  expect(take()).toBe("");
});

test("draws all anew when the terminal has another size", () => {
  const screen = new Screen(terminal);
  screen.draw(["a", "b"]);
  take();
  terminal.columns = 100;
  screen.draw(["a", "b"]);
  expect(take()).toBe("^[?2026h^[2J^[1;1Ha^[K^[2;1Hb^[K^[?2026l");
});

test("gives the terminal back as it was, once", () => {
  const screen = new Screen(terminal);
  screen.close();
  expect(take()).toBe("");
  screen.draw(["a"]);
  take();
  screen.close();
  screen.close();
  expect(take()).toBe("^[?25h^[?1049l");
});
