import { expect, test } from "vitest";
import { seededRandom, randomBelow } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { AcknowledgedWrites } from "./acknowledged-writes.ts";
import { KcmProcess, withDirectory } from "./kcm-process.ts";

/** COUNT=100 SEED=7 vitest run --project e2e test/e2e/kcm-kills.test.ts */
const KILLS = Number(process.env["COUNT"] ?? 4);
const SEED = Number(process.env["SEED"] ?? Date.now());
const WRITERS = 8;
const LONGEST_LIFE_MS = 1_500;
const SECONDS_A_KILL = 60;

const READY = /ready after [\d.]+ s: (http:\/\/127\.0\.0\.1:\d+)/;
const UP = ["up", "--port=0", "--insecure-admin", "--nodes=1", "--data-dir=data", "--kubeconfig=kubeconfig"];

test(
  `a cluster with a data directory is killed ${KILLS} times and has all that it acknowledged (seed ${SEED})`,
  { timeout: KILLS * SECONDS_A_KILL * 1_000 },
  async () => {
    await withDirectory(async (directory) => {
      const random = seededRandom(SEED);
      const writes = new AcknowledgedWrites(random);
      const lost: string[] = [];
      for (let kill = 0; kill <= KILLS; kill++) {
        const cluster = new KcmProcess(UP, directory);
        const [, url = ""] = await cluster.says(READY);
        lost.push(...(await writes.lost(url)).map((what) => `after ${kill} kills: ${what}`));
        const written = writes.writeUntilKilled(url, WRITERS);
        await sleep(realClock, randomBelow(random, LONGEST_LIFE_MS));
        await cluster.end("SIGKILL");
        await written;
      }
      expect(lost).toEqual([]);
      expect(writes.writes).toBeGreaterThan(0);
      console.info(`${KILLS} kills, ${writes.writes} acknowledged writes, nothing lost`);
    });
  },
);
