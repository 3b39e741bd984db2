import { runToken } from "./case.ts";
import { Fuzz } from "./fuzz.ts";
import { masked, maskText } from "./mask.ts";
import { factsOf, shortest } from "./news.ts";
import { type RecordedCase, writeRecorded } from "./recorded.ts";
import { runCase } from "./run-case.ts";
import type { Answer, SideRequest } from "./side.ts";
import { namespaceOf, startTwoServers } from "./two-servers.ts";

/**
 * Keeps, with the real server's answers, cases that both servers answer alike: of those that COUNT requests make as few as
 * show all that they show.
 */
const COUNT = Number(process.env["COUNT"] ?? 60_000);
const SEED = Number(process.env["SEED"] ?? 36);
const WORKERS = 8;

const servers = await startTwoServers(WORKERS);
try {
  const options = { seed: SEED, from: 0, count: COUNT, workers: WORKERS, only: /^.*$/ };
  const fuzz = await Fuzz.prepare(servers, options);
  const alike: { recorded: RecordedCase; facts: ReadonlySet<string>; requests: number }[] = [];
  let [next, sent] = [0, 0];
  const work = async (worker: number): Promise<void> => {
    while (sent < COUNT) {
      const one = fuzz.case(next++);
      const names = { token: runToken(one.number), namespace: namespaceOf(worker) };
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
      sent += requests;
      // A watch that nobody ends says nothing, and takes its time to.
      if (findings.length > 0 || answers.some(({ status }) => status === 0)) continue;
      const facts = new Set(
        one.steps.slice(0, requests).flatMap((step, index) => {
          const answer = answers[index];
          return answer === undefined ? [] : factsOf(step, masked(answer, names, step));
        }),
      );
      alike.push({ recorded: { ...one, answers: answers.slice(0, requests) }, facts, requests });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, async (_, worker) => work(worker)));
  const kept = shortest(alike.toSorted((a, b) => a.recorded.number - b.recorded.number));
  writeRecorded(kept.map(({ recorded }) => recorded));
  const requests = kept.reduce((sum, one) => sum + one.requests, 0);
  console.log(`${requests} requests in ${kept.length} cases, of ${sent} in ${next}`);
} finally {
  await servers.stop();
}
