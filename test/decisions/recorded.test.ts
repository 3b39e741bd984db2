import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Case } from "./cases.ts";
import { decide } from "./decide.ts";

interface Recorded {
  readonly input: Case;
  readonly answer: unknown;
}

const recorded = JSON.parse(
  brotliDecompressSync(readFileSync(new URL("autoscaler.json.br", import.meta.url))).toString(),
) as readonly Recorded[];

test.each(["metric", "step", "event", "quantity"])(
  "autoscalers decide as those of the Go program have decided: %s",
  (kind) => {
    const cases = recorded.filter(({ input }) => input.Kind === kind);
    expect(cases.length).toBeGreaterThan(100);
    const differing = cases.flatMap(({ input, answer }) => {
      const ours = decide(input);
      return JSON.stringify(ours) === JSON.stringify(answer) ? [] : [{ input, answer, ours }];
    });
    expect(differing.slice(0, 3)).toEqual([]);
  },
);
