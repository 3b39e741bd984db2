import { describe, expect, test } from "vitest";
import type { Container, Pod } from "../../api/types/core-v1.gen.ts";
import { parseScript, progressOf, SCRIPT_ANNOTATION, scriptOf } from "./script.ts";

describe("what a container does", () => {
  const pod = (annotations: Record<string, string> = {}): Pod => ({ metadata: { name: "p", annotations } });
  const container = (...command: string[]): Container => ({ name: "c", image: "busybox", command });
  const forEver = [{ do: "run" }];

  test.for<[string, Pod, Container, boolean, unknown]>([
    ["no command: a server", pod(), { name: "c" }, false, forEver],
    ["no command, init: done at once", pod(), { name: "c" }, true, [{ do: "exit", code: 0 }]],
    ["sleep", pod(), container("sleep", "3"), false, [{ do: "sleep", ms: 3_000 }]],
    ["sleep for ever", pod(), container("/bin/sleep", "infinity"), false, forEver],
    ["true", pod(), container("/bin/true"), false, [{ do: "exit", code: 0 }]],
    ["false", pod(), container("false"), false, [{ do: "exit", code: 1 }]],
    [
      "a shell's line",
      pod(),
      container("/bin/sh", "-c", "sleep 0.5 && exit 7"),
      false,
      [
        { do: "sleep", ms: 500 },
        { do: "exit", code: 7 },
      ],
    ],
    [
      "command and args together",
      pod(),
      { name: "c", command: ["sh", "-ec"], args: ["exit 3"] },
      false,
      [{ do: "exit", code: 3 }],
    ],
    ["something else: a server", pod(), container("nginx", "-g", "daemon off;"), false, forEver],
    [
      "the annotation before the command",
      pod({ [SCRIPT_ANNOTATION]: "exit 4" }),
      container("true"),
      false,
      [{ do: "exit", code: 4 }],
    ],
    [
      "one for this container before that for all",
      pod({ [SCRIPT_ANNOTATION]: "exit 4", [`${SCRIPT_ANNOTATION}.c`]: "exit 5" }),
      container("true"),
      false,
      [{ do: "exit", code: 5 }],
    ],
  ])("%s", ([, ofPod, ofContainer, isInit, expected]) => {
    expect(scriptOf(ofPod, ofContainer, isInit)).toEqual(expected);
  });

  test.each(["sleep", "sleep long", "sleep 1 2", "rm -rf /", "ready now"])("%j is not understood", (text) => {
    expect(parseScript(text)).toBeUndefined();
  });
});

describe("how far it has come", () => {
  const steps = parseScript("sleep 2; ready; sleep 3; unready; sleep 1; exit 9") ?? [];
  test.each([
    [0, { state: "running", ready: false, changesAtMs: 2_000 }],
    [1_999, { state: "running", ready: false, changesAtMs: 2_000 }],
    [2_000, { state: "running", ready: true, changesAtMs: 5_000 }],
    [5_500, { state: "running", ready: false, changesAtMs: 6_000 }],
    [6_000, { state: "exited", code: 9, atMs: 6_000 }],
    [99_000, { state: "exited", code: 9, atMs: 6_000 }],
  ])("after %i ms", (nowMs, expected) => {
    expect(progressOf(steps, 0, nowMs)).toEqual(expected);
  });

  test("without a step that makes it ready it is ready from the start", () => {
    expect(progressOf([{ do: "run" }], 0, 0)).toEqual({
      state: "running",
      ready: true,
      changesAtMs: undefined,
    });
  });
});
