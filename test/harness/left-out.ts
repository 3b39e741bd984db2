import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Plugin } from "vitest/config";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { goManager, hasRealCluster } from "./real-programs.ts";

interface Need {
  /** Files that need it have this in their name: `drain.real.kubectl.test.ts`. */
  readonly name: string;
  readonly isThere: boolean;
  readonly leftOut: string;
}

const needs: readonly Need[] = [
  {
    name: "real",
    isThere: hasRealCluster(),
    leftOut: "no etcd and kube-apiserver (make real builds them)",
  },
  {
    name: "kubectl",
    isThere: (process.env["PATH"] ?? "").split(delimiter).some((at) => existsSync(join(at, "kubectl"))),
    leftOut: "no kubectl in PATH",
  },
];

const missing = needs.filter(({ isThere }) => !isThere);

/** Patterns of the files whose cases need what this machine lacks. */
export const leftOutFiles: readonly string[] = missing.map(({ name }) => `**/*.${name}.**`);

function line(): string {
  const lacks = missing.map(({ leftOut }) => leftOut);
  if (goManager() === undefined)
    lacks.push("no kube-controller-manager of the Go program (make real builds it)");
  return lacks.length === 0
    ? "Nothing was left out."
    : `Left out, with all that needs it: ${lacks.join("; ")}.`;
}

/** Says what was left out, and fails a whole run in which a case was skipped: it should not have been registered. */
class LeftOut implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    console.log(line());
    const { testNamePattern, bail } = this.#vitest?.config ?? {};
    if (testNamePattern !== undefined || bail) return;
    const skipped = modules.flatMap(({ children }) => [...children.allTests("skipped")]);
    for (const { fullName } of skipped) console.error(`skipped: ${fullName}`);
    if (skipped.length > 0) process.exitCode = 1;
  }
}

/** A plugin, as reporters that are named on the command line take the place of those of the configuration. */
export function sayWhatIsLeftOut(): Plugin {
  const reporter = new LeftOut();
  return {
    name: "left-out",
    configureVitest: ({ vitest }) => {
      // Asked for every project.
      if (!vitest.config.reporters.includes(reporter)) vitest.config.reporters.push(reporter);
    },
  };
}
