import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Consumer, Ran } from "./consumer.ts";

/** The guides; each is a project of its own. */
export const guides = [
  "pkg/controller/first-controller.md",
  "pkg/controller/from-controller-runtime.md",
  "pkg/controller/from-kube-rs.md",
  "pkg/client/from-client-node.md",
  "pkg/testing/README.md",
  "pkg/manager/README.md",
] as const;

const root = resolve(import.meta.dirname, "../..");

/** A program that has begun its work says so in its log. */
const WORKS = "Controller starting";

/** The code of a guide, as files: each block begins with the name of its file. */
export class Guide {
  readonly directory: string;
  readonly files: readonly string[];
  /** The tsconfig.json that it tells of, if any. */
  readonly config: string | undefined;
  readonly #consumer: Consumer;
  readonly #folder: string;

  constructor(consumer: Consumer, path: string, folder = path.replaceAll(/[/.]/g, "-")) {
    const text = readFileSync(join(root, path), "utf8");
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
    this.config = /^```json\n(.*?)^```$/ms.exec(text)?.[1];
    this.#consumer = consumer;
    this.#folder = folder;
    this.directory = join(consumer.directory, this.#folder);
    mkdirSync(this.directory);
    this.files = blocks.map((code) => {
      const [, file] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? [];
      if (file === undefined) throw new Error(`${path}: a block does not name its file:\n${code}`);
      consumer.write(join(this.#folder, file), code);
      return file;
    });
  }

  /** With this tsconfig.json; that of a project as strict as it gets, when left out. */
  compile(config = this.#strictest()): Ran {
    this.#consumer.write(join(this.#folder, "tsconfig.json"), config);
    return this.#consumer.toolIn(this.directory, "tsc", "-p", ".");
  }

  #strictest(): string {
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024"],
      module: "nodenext",
      types: ["node"],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      // Others' declarations are not as strict.
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    };
    return JSON.stringify({ compilerOptions, files: this.files });
  }

  get hasTests(): boolean {
    return this.files.some((file) => file.endsWith(".test.ts"));
  }

  /** Whatever else the machine does meanwhile. */
  test(): Ran {
    return this.#consumer.toolIn(this.directory, "vitest", "run", "--testTimeout=60000");
  }

  /** Those that nobody imports, tests left out. */
  get programs(): readonly string[] {
    const all = this.files.map((file) => readFileSync(join(this.directory, file), "utf8")).join("\n");
    return this.files.filter((file) => !file.endsWith(".test.ts") && !all.includes(`"./${file}"`));
  }

  /** To its end; one that goes on is told to end once it works. Gives its exit code, and what it wrote. */
  async run(file: string, kubeconfig: string): Promise<{ readonly code: unknown; readonly said: string }> {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const child = spawn(process.execPath, [file], {
      cwd: this.directory,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        const isNews = !said.includes(WORKS);
        said += chunk.toString();
        // A second signal would end it at once.
        if (isNews && said.includes(WORKS)) child.kill("SIGTERM");
      });
    const [code] = (await once(child, "close")) as [unknown];
    return { code, said };
  }
}
