import { expect, test } from "vitest";
import { realClock } from "../../pkg/clock/real.ts";
import { type Difference, differencesOf } from "./first-hour/differences.ts";
import { kcmStage, realStage, type Said, type Stage } from "./first-hour/stage.ts";
import { firstHour } from "./first-hour/steps.ts";

/** What kubectl says of one and not of the other. Nothing else may be different, and this must be. */
const known: readonly Difference[] = [
  {
    // kubectl looks for a kind that no discovery has in OpenAPI v2, which it reads as protobuf alone.
    call: "broken objects: apply",
    lines: [
      "- ensure CRDs are installed first",
      '- error: resource mapping not found for name: "broken" namespace: "" from "FILE": no matches for kind "Pod" in version "v9"',
      '+ error: error validating "FILE": error validating data: the server was unable to respond with a content type that the client supports; if you choose to ignore these errors, turn validation off with --validate=false',
    ],
  },
];

interface Played {
  readonly said: readonly Said[];
  readonly seconds: string;
}

async function play(start: () => Promise<Stage>): Promise<Played> {
  const startMs = realClock.monotonicMs();
  const stage = await start();
  try {
    for (const step of firstHour) await stage.play(step);
    return { said: stage.said, seconds: ((realClock.monotonicMs() - startMs) / 1_000).toFixed(0) };
  } finally {
    await stage.stop();
  }
}

test("kubectl says the same of kcm up as of a real API server, but for what is listed here", async () => {
  const real = await play(realStage);
  const other = await play(kcmStage);
  expect(other.said.map(({ call }) => call)).toEqual(real.said.map(({ call }) => call));
  const differences = differencesOf(real.said, other.said);
  const count = real.said.reduce((sum, { lines }) => sum + lines.length, 0);
  const different = differences.reduce((sum, { lines }) => sum + lines.length, 0);
  console.log(
    `The first hour: ${real.said.length} calls of kubectl, ${count} lines, of which ${different} differ; ` +
      `${real.seconds} s on a real API server, ${other.seconds} s on kcm up.`,
  );
  expect(differences).toEqual(known);
});
