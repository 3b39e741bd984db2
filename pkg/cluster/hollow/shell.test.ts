import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import { runProcess } from "./shell.ts";

const container = {
  name: "c",
  env: [
    { name: "COLOR", value: "green" },
    { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    { name: "TEAM", valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } },
  ],
};
const pod: Pod = {
  metadata: { name: "web-0", namespace: "shop", labels: { team: "red" } },
  spec: { nodeName: "node-0", containers: [container] },
};

async function run(
  words: readonly string[],
  { input = "", tty = false } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const streams = {
    stdin: (async function* () {
      yield Buffer.from(input);
    })(),
    stdout: async (data: string | Uint8Array) => void (out += Buffer.from(data).toString()),
    stderr: async (text: string) => void (err += text),
  };
  const place = { pod, container, clock: new VirtualClock(), streams, signal: new AbortController().signal };
  const code = await runProcess(words, place, tty);
  return { code, out, err };
}

describe("a line of a shell", () => {
  test.each<[string, number, string]>([
    ["echo a b", 0, "a b\n"],
    [`echo "a  b" 'c  "d"'`, 0, 'a  b c  "d"\n'],
    ["echo -n a; echo b", 0, "ab\n"],
    ["true && echo yes || echo no", 0, "yes\n"],
    ["false && echo yes || echo no", 0, "no\n"],
    ["false; echo $?", 0, "1\n"],
    ["false", 1, ""],
    ["exit 300", 44, ""],
    ["echo a; exit 3; echo b", 3, "a\n"],
    ["echo $COLOR ${NODE} $TEAM '$COLOR' \"$COLOR\" $NOTHING.", 0, "green node-0 red $COLOR green .\n"],
    ["x=1; echo $x # and no more", 0, "1\n"],
    ["hostname; pwd; /bin/cat /etc/hostname", 0, "web-0\n/\nweb-0\n"],
    ["cat /var/run/secrets/kubernetes.io/serviceaccount/namespace", 0, "shop"],
    ["sh -c 'exit 5'", 5, ""],
    ["sh -c 'exit 5' || echo $?", 0, "5\n"],
    ["printenv COLOR", 0, "green\n"],
    ["printenv NOTHING", 1, ""],
  ])("%s", async (line, code, out) => {
    expect(await run(["sh", "-c", line])).toEqual({ code, out, err: "" });
  });

  test.each<[string, number, RegExp]>([
    ["psql -h db", 127, /^sh: psql: not found\./],
    ["echo a | cat", 2, /^sh: "\|" is not understood/],
    ["echo a > /tmp/x", 2, /^sh: ">" is not understood/],
    ["echo $(date)", 2, /^sh: /],
    ["echo 'a", 2, /^sh: unterminated quoted string/],
    ["cat /etc/passwd", 1, /^cat: can't open '\/etc\/passwd': No such file or directory/],
    ["sleep soon", 1, /^sleep: invalid number 'soon'/],
  ])("%s is refused", async (line, code, err) => {
    const result = await run(["sh", "-c", line]);
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(err)]);
  });
});

test("a shell without a line reads lines, the last even without an end", async () => {
  expect(await run(["/bin/bash"], { input: "echo a\nfalse\necho $?" })).toEqual({
    code: 0,
    out: "a\n1\n",
    err: "",
  });
  expect((await run(["sh"], { input: "exit 4\necho b\n" })).code).toBe(4);
});

test("a terminal has a prompt and an echo", async () => {
  const { out } = await run(["sh"], { input: "echo a\rexit\r", tty: true });
  expect(out).toBe("$ echo a\r\na\r\n$ exit\r\n");
});
