import { runToken } from "./case.ts";
import { Fuzz } from "./fuzz.ts";
import { maskText } from "./mask.ts";
import { type RecordedCase, writeRecorded } from "./recorded.ts";
import { runCase } from "./run-case.ts";
import type { Answer, SideRequest } from "./side.ts";
import { namespaceOf, startTwoServers } from "./two-servers.ts";

/** Keeps the cases that both servers answer alike, until they have COUNT requests, with the real server's answers. */
const COUNT = Number(process.env["COUNT"] ?? 3_000);
const SEED = Number(process.env["SEED"] ?? 36);
const WORKERS = 8;

const servers = await startTwoServers(WORKERS);
try {
  const options = { seed: SEED, from: 0, count: COUNT, workers: WORKERS, only: /^.*$/ };
  const fuzz = await Fuzz.prepare(servers, options);
  const recorded: RecordedCase[] = [];
  let [next, kept] = [0, 0];
  const work = async (worker: number): Promise<void> => {
    while (kept < COUNT) {
      const one = fuzz.case(next++);
      const names = { token: runToken(next), namespace: namespaceOf(worker) };
      const answers: Answer[] = [];
      const send = async (request: SideRequest): Promise<Answer> => {
        const answer = await servers.real.send(request);
        const warnings = answer.warnings.map((line) => maskText(line, names));
        answers.push({ ...answer, warnings, text: maskText(answer.text, names) });
        return answer;
      };
      const { requests, findings } = await runCase(
        { real: { send }, embedded: servers.embedded },
        one,
        names,
      );
      // A watch that nobody ends says nothing, and takes its time to.
      if (findings.length > 0 || answers.some(({ status }) => status === 0)) continue;
      kept += requests;
      recorded.push({ ...one, answers: answers.slice(0, requests) });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, async (_, worker) => work(worker)));
  writeRecorded(recorded.toSorted((a, b) => a.number - b.number));
  console.log(`${kept} requests in ${recorded.length} cases of ${next}`);
} finally {
  await servers.stop();
}
