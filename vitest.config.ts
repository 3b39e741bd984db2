import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { leftOutFiles, sayWhatIsLeftOut } from "./test/harness/left-out.ts";
import { plantMutant } from "./test/mutants/plugin.ts";

export default defineConfig({
  plugins: [...plantMutant(), sayWhatIsLeftOut()],
  test: {
    exclude: [...configDefaults.exclude, ...leftOutFiles],
    fsModuleCache: true,
    setupFiles: process.env["PROBES"] === undefined ? [] : ["test/mutants/probe-setup.ts"],
    // Most of what takes long waits for other programs.
    maxWorkers: 2 * availableParallelism(),
    // Conditions are waited for as long as it takes on a machine that others use, too: limits only end what hangs.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          setupFiles: ["test/harness/property-seed.ts"],
          include: [
            "{pkg,controllers,cmd,hack}/**/*.test.ts",
            "test/{decisions,differential,examples,harness,load,mutants}/**/*.test.ts",
          ],
          testTimeout: 60_000,
        },
      },
      { extends: true, test: { name: "sim", include: ["test/sim/**/*.test.ts"], testTimeout: 300_000 } },
      {
        extends: true,
        test: {
          name: "integration",
          setupFiles: ["test/harness/property-seed.ts"],
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "parity",
          include: ["test/parity/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          // Programs that are started again and again are read and compiled once.
          env: { NODE_COMPILE_CACHE: ".cache/node" },
          include: ["test/{e2e,package}/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
