import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

/** An operator to be measured. */
export interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const root = resolve(import.meta.dirname, "../../..");

/** What is measured beside ours. It is installed into a folder of its own: this repository does not depend on it. */
const INSTALLED = {
  "client-node": "@kubernetes/client-node@2.0.1",
  "dot-i": "@dot-i/k8s-operator@1.3.9",
} as const;

/** Makes those of these names that this machine can make, and says of the others why not. */
export async function programsIn(directory: string, names: readonly string[]): Promise<readonly Program[]> {
  const made: Program[] = [];
  for (const [name, make] of Object.entries(makers)) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      made.push({ name, command: await make(join(directory, name)) });
    } catch (error) {
      console.log(`${name} is left out: ${String(error)}`);
    }
  }
  return made;
}

type Maker = (directory: string) => Promise<Program["command"]>;

const makers: Readonly<Record<string, Maker>> = {
  ours: async (directory) => {
    const file = join(directory, "ours.mjs");
    const bundle = await rolldown({ input: join(import.meta.dirname, "ours.ts"), platform: "node" });
    await bundle.write({ file, format: "esm", codeSplitting: false, charset: "ascii" });
    return [process.execPath, file];
  },
  "controller-runtime": async (directory) => {
    const file = join(directory, "page-operator");
    const env = { ...process.env, CGO_ENABLED: "0" };
    run("go", ["build", "-trimpath", "-o", file, "./page-operator"], join(root, "test/foreign"), env);
    return [file];
  },
  ...Object.fromEntries(Object.entries(INSTALLED).map(([name, version]) => [name, installed(name, version)])),
};

function installed(name: string, version: string): Maker {
  return async (directory) => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", version], directory, process.env);
    const file = join(directory, "main.mjs");
    copyFileSync(join(import.meta.dirname, `${name}.mjs`), file);
    return [process.execPath, file];
  };
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`, { cause: error });
}
