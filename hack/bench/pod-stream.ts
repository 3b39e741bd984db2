import { once } from "node:events";
import { makePod } from "./pods.ts";

async function write(texts: Iterable<string>): Promise<void> {
  let chunk: string[] = [];
  for (const text of texts) {
    chunk.push(text);
    if (chunk.length < 64) continue;
    if (!process.stdout.write(chunk.join(""))) await once(process.stdout, "drain");
    chunk = [];
  }
  process.stdout.write(chunk.join(""));
}

/** Pages of a List, a line each. */
function* pages(count: number, size: number): Generator<string> {
  for (let from = 0; from < count; from += size) {
    const next = from + size < count ? `,"continue":"${from + size}"` : "";
    yield `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000000"${next}},"items":[`;
    for (let index = from; index < Math.min(from + size, count); index++) {
      const { apiVersion: _version, kind: _kind, ...item } = makePod(index, 1_000 + index);
      yield (index === from ? "" : ",") + JSON.stringify(item);
    }
    yield "]}\n";
  }
}

function* initial(count: number): Generator<string> {
  for (let index = 0; index < count; index++)
    yield `{"type":"ADDED","object":${JSON.stringify(makePod(index, 1_000 + index))}}\n`;
  const annotations = { "k8s.io/initial-events-end": "true" };
  const mark = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "1000000", annotations } };
  yield `{"type":"BOOKMARK","object":${JSON.stringify(mark)}}\n`;
}

/** Changes of 5,000 pods, over and over. */
function* events(count: number): Generator<string> {
  const texts = Array.from({ length: 5_000 }, (_, index) =>
    JSON.stringify(makePod(index, 0)).split('"resourceVersion":"0"'),
  );
  for (let index = 0; index < count; index++) {
    const [before, after] = texts[index % texts.length] ?? [];
    yield `{"type":"MODIFIED","object":${before}"resourceVersion":"${1_000_001 + index}"${after}}\n`;
  }
}

/** Writes what an API server would answer to standard output: `pages COUNT SIZE`, `initial COUNT` or `events COUNT`. */
export async function streamPods([form, ...numbers]: readonly string[]): Promise<void> {
  const [count = 0, size = 1] = numbers.map(Number);
  if (form === "pages") await write(pages(count, size));
  else if (form === "initial") await write(initial(count));
  else await write(events(count));
}
