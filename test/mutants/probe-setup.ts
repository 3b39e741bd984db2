// Set up before each test file while probes are planted: at its end the blocks that it has entered are written down.
import { relative } from "node:path";
import { afterAll, expect } from "vitest";
import { noteReached } from "./note-reached.ts";

const test = relative(process.cwd(), expect.getState().testPath ?? "");
// For the programs that it starts.
process.env["PROBED_TEST"] = test;

// eslint-disable-next-line no-empty-pattern -- It must be a pattern.
afterAll(({}, { tasks }) => {
  const failed = tasks.some(({ result }) => result?.state === "fail");
  noteReached({ test, failed, seconds: process.uptime() });
});
