import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import { ourProgram } from "../harness/daemon.ts";
import { freePorts } from "../harness/real-cluster.ts";
import {
  CONFIG,
  fileMistakes,
  flagMistakes,
  type KubeconfigParts,
  kubeconfigMistakes,
  MIGRATION,
} from "./bad-input-cases.ts";

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Each as a process of its own. */
describe("a start that cannot work ends with one clear line and exit code 1", () => {
  let directory: string;
  /** Stands where the API server would be, and counts who comes. */
  let trap: Server;
  let visits = 0;
  let files: readonly string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bad-input-"));
    trap = createServer((socket) => {
      visits++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => trap.once("listening", resolve));
    const authority = await CertificateAuthority.create("test", realClock);
    const write = async (name: string, text: string): Promise<void> => writeFile(join(directory, name), text);
    for (const name of ["one", "other"]) {
      const { cert, key } = await authority.issue({ commonName: name });
      await write(`${name}.crt`, cert);
      await write(`${name}.key`, key);
    }
    await write("garbage", "garbage\nand more\n");
    await write("other-kind.yaml", "kind: Other\n");
    await write("unknown-field.yaml", `${CONFIG}Generic: {Nope: 1}\n`);
    await write("wrong-type.yaml", `${CONFIG}Generic: {MinResyncPeriod: 5}\n`);
    await write("migration.yaml", MIGRATION);
    await write("good.kubeconfig", kubeconfig({}));
    files = await snapshot();
  });

  afterAll(async () => {
    trap.close();
    await rm(directory, { recursive: true });
  });

  function kubeconfig({ server, cluster = {}, user = {}, context = "test" }: KubeconfigParts): string {
    const { port } = trap.address() as AddressInfo;
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster: { server: server ?? `https://127.0.0.1:${port}`, ...cluster } }],
      users: [{ name: "test", user }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
      "current-context": context,
    });
  }

  async function snapshot(): Promise<readonly string[]> {
    const names = (await readdir(directory)).toSorted();
    return Promise.all(
      names.map(async (name) => `${name}: ${await readFile(join(directory, name), "utf8")}`),
    );
  }

  async function run(flags: readonly string[]): Promise<Ended> {
    const [command = "", ...args] = ourProgram;
    const given = ["--kubeconfig=@/good.kubeconfig", "--bind-address=127.0.0.1", ...flags];
    const expanded = given.map((flag) => flag.replaceAll("@", directory));
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(command, [...args, ...expanded], { env: { PATH, NODE_COMPILE_CACHE } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    clearTimeout(timer);
    return { code, output };
  }

  /** What is neither information nor a warning. */
  function errorLines(output: string): readonly string[] {
    return output
      .trimEnd()
      .split("\n")
      .filter((line) => !/^[IW]\d{4} /.test(line));
  }

  async function fails(flags: readonly string[], says: RegExp): Promise<void> {
    const before = visits;
    const { code, output } = await run(flags);
    const lines = errorLines(output);
    expect(lines, output).toHaveLength(1);
    expect(lines[0]).toMatch(says);
    expect(lines[0]).toMatch(/^(Error: |E\d{4} .*"command failed")/);
    expect(code).toBe(1);
    expect(visits, "nobody was asked anything").toBe(before);
    expect(await snapshot(), "no file has changed").toEqual(files);
  }

  /** Only a server that is to be started reads its certificates. */
  async function freePort(): Promise<number> {
    const [port = 0] = await freePorts(1);
    return port;
  }

  // Side by side: none of these writes a file, or gets as far as to ask a server.
  test.concurrent.each(flagMistakes)("%s: %j", async (_what, flags, says) => fails(flags, says));

  test.concurrent.each(fileMistakes)("%s: %j", async (_what, flags, says) =>
    fails([...flags, `--secure-port=${await freePort()}`], says),
  );

  test.each(kubeconfigMistakes)("in a kubeconfig, %s: %j", async (_what, parts, says) => {
    const path = join(directory, "bad.kubeconfig");
    await writeFile(path, kubeconfig(parts));
    const { code, output } = await run([`--kubeconfig=${path}`, "--secure-port=0"]);
    await rm(path);
    expect(errorLines(output), output).toHaveLength(1);
    expect(errorLines(output)[0]).toMatch(says);
    expect(output).toContain(`kubeconfig ${path}`);
    expect(code).toBe(1);
  });

  test("a port in use", async () => {
    const { port } = trap.address() as AddressInfo;
    await fails([`--secure-port=${port}`], new RegExp(`cannot listen on 127.0.0.1:${port}`));
  });

  test("an API server that cannot be asked who is who", async () => {
    const { code, output } = await run([
      `--secure-port=${await freePort()}`,
      "--authentication-kubeconfig=@/good.kubeconfig",
    ]);
    expect(errorLines(output), output).toHaveLength(1);
    expect(errorLines(output)[0]).toMatch(/authentication settings of the cluster cannot be read/);
    expect(code).toBe(1);
  });

  test("an API server that does not come", async () => {
    const { code, output } = await run(["--secure-port=0", "--leader-elect=false"]);
    expect(errorLines(output), output).toHaveLength(1);
    expect(errorLines(output)[0]).toMatch(/the API server did not become healthy within 10s/);
    expect(code).toBe(1);
  });
});
