import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty project into which the tarball was unpacked, beside its declared dependencies and nothing else. */
export class Consumer {
  readonly directory: string;
  readonly installed: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.installed = join(directory, "node_modules/kube-controller-manager");
  }

  /** Makes the package first. */
  static async create(): Promise<Consumer> {
    const consumer = new Consumer(await mkdtemp(join(tmpdir(), "kcm-consumer-")));
    succeed(run(root, process.execPath, "hack/package/main.ts"));
    const [tarball = ""] = globSync("dist/*.tgz", { cwd: root });
    mkdirSync(consumer.installed, { recursive: true });
    succeed(run(root, "tar", "-xzf", tarball, "-C", consumer.installed, "--strip-components=1"));
    for (const name of Object.keys(consumer.manifest.dependencies)) consumer.link(name);
    consumer.linkPrograms();
    consumer.write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }));
    return consumer;
  }

  get manifest(): {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly exports: Readonly<Record<string, unknown>>;
    readonly bin: Readonly<Record<string, string>>;
  } {
    return JSON.parse(readFileSync(join(this.installed, "package.json"), "utf8")) as Consumer["manifest"];
  }

  /** Puts a package of the repository beside it, as a project of its own would have it. */
  link(name: string): void {
    const place = join(this.directory, "node_modules", name);
    if (existsSync(place)) return;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place);
  }

  /** As npm does. */
  linkPrograms(): void {
    const bin = join(this.directory, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, path] of Object.entries(this.manifest.bin)) {
      chmodSync(join(this.installed, path), 0o755);
      symlinkSync(join(this.installed, path), join(bin, name));
    }
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.directory, path), text);
  }

  node(...args: readonly string[]): Ran {
    return run(this.directory, process.execPath, ...args);
  }

  tool(name: string, ...args: readonly string[]): Ran {
    return this.toolIn(this.directory, name, ...args);
  }

  /** One of the repository's tools, or of the package's programs. */
  toolIn(directory: string, name: string, ...args: readonly string[]): Ran {
    const own = name in this.manifest.bin ? this.directory : root;
    return run(directory, join(own, "node_modules/.bin", name), ...args);
  }
}

function run(directory: string, command: string, ...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: directory, encoding: "utf8" });
  return { status, stdout, stderr };
}

function succeed({ status, stdout, stderr }: Ran): void {
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}
