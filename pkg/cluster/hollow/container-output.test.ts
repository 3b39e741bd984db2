import { expect, test } from "vitest";
import { linesBetween, LOGS_ANNOTATION, MOST_LINES, outputOf, outputOfScript } from "./container-output.ts";
import { parseScript } from "./script.ts";

const written = (script: string, afterMs: number, untilMs: number): readonly string[] =>
  linesBetween(outputOfScript(parseScript(script) ?? []), afterMs, untilMs).map(
    ({ atMs, text }) => `${atMs} ${text}`,
  );

test.each<[string, string, readonly [number, number], readonly string[]]>([
  ["nothing", "sleep 5", [-1, 60_000], []],
  ["what it says on its way", "echo a; sleep 2; echo b; exit 1; echo c", [-1, 60_000], ["0 a", "2000 b"]],
  ["what it has said by then", "echo a; sleep 2; echo b", [-1, 1_999], ["0 a"]],
  ["what it has said since", "echo a; sleep 2; echo b", [0, 2_000], ["2000 b"]],
  [
    "a loop",
    "echo begin; sleep 1; while true; do echo x; sleep 2; done",
    [-1, 5_000],
    ["0 begin", "1000 x", "3000 x", "5000 x"],
  ],
  [
    "a loop that never sleeps, which writes each second",
    "while :; do echo x; done",
    [1_000, 3_000],
    ["2000 x", "3000 x"],
  ],
])("%s", (_name, script, [afterMs, untilMs], lines) => {
  expect(written(script, afterMs, untilMs)).toEqual(lines);
});

test("the annotation is written line by line, a line a second", () => {
  const metadata = {
    name: "p",
    annotations: { [LOGS_ANNOTATION]: "a\nb\n", [`${LOGS_ANNOTATION}.d`]: "other" },
  };
  const output = outputOf({ metadata }, { name: "c", command: ["echo", "no"] }, false);
  expect(linesBetween(output, -1, 3_500).map(({ text }) => text)).toEqual(["a", "b", "a", "b"]);
  const other = outputOf({ metadata }, { name: "d" }, false);
  expect(linesBetween(other, 0, 2_000).map(({ text }) => text)).toEqual(["other", "other"]);
});

test("after years only the last lines are there, and at once", () => {
  const yearsMs = 10 * 365 * 24 * 3_600_000;
  const lines = linesBetween(
    outputOfScript(parseScript("while true; do echo x; sleep 1; done") ?? []),
    -1,
    yearsMs,
  );
  expect([lines.length, lines.at(-1)?.atMs]).toEqual([MOST_LINES, yearsMs]);
});
