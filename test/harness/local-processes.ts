import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import type { ProcessStreams } from "../../pkg/apiserver/server/pod-processes.ts";

/** As shells tell of what SIGKILL has ended. */
const KILLED = 137;

/** Runs a command on this machine as if it were in a container; resolves to its exit code. */
export async function runLocally(
  [program = "", ...args]: readonly string[],
  { stdin, stdout, stderr }: ProcessStreams,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(program, args, { stdio: "pipe" });
  const onAbort = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", onAbort, { once: true });
  child.stdin.on("error", () => undefined);
  Readable.from(stdin).pipe(child.stdin);
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? KILLED));
  });
  const told = [
    tell(child.stdout, async (chunk) => stdout(chunk)),
    tell(child.stderr, async (chunk) => stderr(chunk.toString())),
  ];
  try {
    const code = await ended;
    await Promise.all(told);
    return code;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function tell(output: Readable, to: (chunk: Buffer) => Promise<void>): Promise<void> {
  for await (const chunk of output as AsyncIterable<Buffer>) await to(chunk);
}
