import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { command, type CommandResult, KcmProcess } from "./kcm-process.ts";

/** A kubectl, and a cluster of `kcm up` with its example for it, in a directory of their own. */
export class KubectlStage {
  directory = "";
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** There before the tests of the suite, ended in order after them. */
  static use(path: string): KubectlStage {
    const stage = new KubectlStage(path);
    let kcm: KcmProcess;
    beforeAll(async () => {
      stage.directory = await mkdtemp(join(tmpdir(), "kcm-kubectl-"));
      kcm = new KcmProcess(["up", "--port=0", "--kubeconfig=kubeconfig"], stage.directory);
      await kcm.says(/deployment\/web: 3 of 3 pods available/);
    });
    afterAll(async () => {
      expect(await kcm.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
      await rm(stage.directory, { recursive: true, force: true });
    });
    return stage;
  }

  get env(): Readonly<Record<string, string>> {
    return { KUBECONFIG: join(this.directory, "kubeconfig"), HOME: this.directory };
  }

  readonly kubectl = async (...args: string[]): Promise<CommandResult> => command(this.#path, args, this.env);

  /** Standard output of a command that must succeed. */
  readonly output = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await this.kubectl(...args);
    expect(exitCode, `kubectl ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
}
