// Sends requests of extreme shapes to a cluster in this process, and says which of them hold its event loop for long:
//
//   node test/load/main.ts [part of a name] [bytes of an object]
import { customRequests, wideDefinition } from "./extreme-requests.ts";
import { fieldShapes } from "./field-shapes.ts";
import { measure } from "./measure.ts";
import { requestsOfShape } from "./requests-of-shape.ts";
import { LoadStage } from "./stage.ts";

/** Shorter ones are not worth a line. */
const WORTH_MS = 25;
const [part = "", size = "1000000"] = process.argv.slice(2);

const stage = await LoadStage.start();
await stage.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
await stage.define(wideDefinition);
for (const shape of fieldShapes().filter(({ name }) => name.includes(part))) {
  for (const { name, asked } of requestsOfShape(shape, Number(size))) await say(name, asked);
}
for (const { name, first, asked } of customRequests()) if (name.includes(part)) await say(name, asked, first);
await stage.stop();

async function say(...[name, asked, first]: [string, ...Rest]): Promise<void> {
  const { status, longestMs, isTooLong } = await measure(stage, asked, first);
  if (longestMs >= WORTH_MS)
    console.log(`${isTooLong ? "!" : " "} ${longestMs.toFixed(0).padStart(6)} ms  ${status}  ${name}`);
}

type Rest = Parameters<typeof measure> extends [unknown, ...infer Others] ? Others : never;
