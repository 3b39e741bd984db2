import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { HeapProfiler } from "node:inspector";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { heapProfile } from "./pprof.ts";

type Node = HeapProfiler.SamplingHeapProfileNode;

function node(functionName: string, line: number, selfSize: number, children: Node[] = []): Node {
  const callFrame = {
    functionName,
    scriptId: "1",
    url: "file:///a.ts",
    lineNumber: line - 1,
    columnNumber: 0,
  };
  return { callFrame, selfSize, children };
}

/** main calls parse, which calls itself; both call a function without a name. */
const head = node("(root)", 0, 0, [
  node("main", 10, 1_000, [
    node("parse", 20, 0, [node("parse", 20, 300), node("", 30, 7)]),
    node("", 30, 2 ** 33),
  ]),
]);
const bytes = heapProfile(head, { startMs: Date.UTC(2026, 5, 1), durationMs: 2_000, periodBytes: 32_768 });

test("profiles have the bytes of profile.proto", () => {
  const alone = heapProfile(node("(root)", 0, 0, [node("main", 10, 300)]), {
    startMs: 1,
    durationMs: 2,
    periodBytes: 5,
  });
  const text = (value: string): string =>
    `32${value.length.toString(16).padStart(2, "0")}${Buffer.from(value).toString("hex")}`;
  expect(alone.toString("hex")).toBe(
    [
      "0a0408011002", // sample type: strings 1 and 2
      "2a080801100318032004", // function 1: strings 3, 3 and 4
      "2208080122040801100a", // location 1: function 1, line 10
      "12070a01011202ac02", // sample: location 1, 300
      ...["", "inuse_space", "bytes", "main", "file:///a.ts"].map(text),
      "48c0843d", // 1 ms in nanoseconds
      "5080897a", // 2 ms
      "5a0408011002", // period type
      "6005",
    ].join(""),
  );
});

const goRoot = (process.env["PATH"] ?? "").split(delimiter).find((path) => existsSync(join(path, "go")));

// The first run may have to compile the tool.
if (goRoot !== undefined) {
  test("go tool pprof reads stacks, lines and sizes", { timeout: 600_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), "pprof-"));
    const file = join(directory, "heap.pb.gz");
    await writeFile(file, gzipSync(bytes));
    const { stdout } = await promisify(execFile)(join(goRoot, "go"), ["tool", "pprof", "-raw", file]);
    await rm(directory, { recursive: true });
    expect(stdout).toContain("PeriodType: inuse_space bytes");
    expect(stdout).toContain("Period: 32768");
    expect(stdout).toContain("Time: 2026-06-01 00:00:00");
    expect(stdout).toContain("Duration: 2");
    const [, samples = ""] = /Samples:\ninuse_space\/bytes.*\n([^]*)Locations/.exec(stdout) ?? [];
    expect(
      samples
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(["1000: 1", "300: 2 2 1", "7: 3 2 1", `${2 ** 33}: 3 1`]);
    expect(stdout).toMatch(/1: 0x0 M=1 main file:\/\/\/a\.ts:10/);
    expect(stdout).toMatch(/3: 0x0 M=1 \(anonymous\) file:\/\/\/a\.ts:30/);
  });
}
