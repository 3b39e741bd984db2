import { expect, test } from "vitest";
import { ResponseBody } from "./response-body.ts";

function bodyWithFlow(): { body: ResponseBody; calls: string[] } {
  const calls: string[] = [];
  const body = new ResponseBody({
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
    abort: () => calls.push("abort"),
  });
  return { body, calls };
}

const part = (text: string): Buffer => Buffer.from(text);

async function readAll(body: ResponseBody): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of body) texts.push(chunk.toString());
  return texts;
}

test.each([
  { before: [], after: [], whole: "" },
  { before: ["a"], after: [], whole: "a" },
  { before: [], after: ["a", "b"], whole: "ab" },
  { before: ["a"], after: ["b", "c"], whole: "abc" },
])("parts $before before the reader comes and $after afterwards are one whole", async (row) => {
  const { body } = bodyWithFlow();
  for (const text of row.before) body.push(part(text));
  const whole = body.bytes();
  for (const text of row.after) body.push(part(text));
  body.end();
  expect((await whole).toString()).toBe(row.whole);
});

test("a reader gets part by part as they come, then the end", async () => {
  const { body } = bodyWithFlow();
  body.push(part("a"));
  const reader = body[Symbol.asyncIterator]();
  expect((await reader.next()).value?.toString()).toBe("a");
  const next = reader.next();
  body.push(part("b"));
  expect((await next).value?.toString()).toBe("b");
  body.end();
  expect((await reader.next()).done).toBe(true);
});

test("what nobody reads is held back, and let through as soon as it is read", async () => {
  const { body, calls } = bodyWithFlow();
  body.push(Buffer.alloc(255 * 1024));
  expect(calls).toEqual([]);
  body.push(Buffer.alloc(1024));
  expect(calls).toEqual(["pause"]);
  const reader = body[Symbol.asyncIterator]();
  await reader.next();
  expect(calls).toEqual(["pause", "resume"]);
  body.push(Buffer.alloc(10));
  expect(calls).toEqual(["pause", "resume"]);
});

test.each(["bytes", "parts", "discard"] as const)("a failure reaches the reader of %s", async (way) => {
  const { body } = bodyWithFlow();
  const read = {
    bytes: async () => body.bytes(),
    parts: async () => readAll(body),
    discard: async () => body.discard(9),
  };
  body.push(part("a"));
  const outcome = read[way]();
  body.fail(new Error("lost"));
  await expect(outcome).rejects.toThrow("lost");
});

test("of what failed nothing more is told, not even parts that had come before", async () => {
  const { body } = bodyWithFlow();
  body.push(part("a"));
  body.push(part("b"));
  const reader = body[Symbol.asyncIterator]();
  await reader.next();
  body.fail(new Error("aborted"));
  await expect(reader.next()).rejects.toThrow("aborted");
});

test("leaving the loop gives up the rest", async () => {
  const { body, calls } = bodyWithFlow();
  body.push(part("a"));
  for await (const _ of body) break;
  expect(calls.at(-1)).toBe("abort");
});

test.each([
  { sizes: [4, 4], calls: [] },
  { sizes: [4, 7], calls: ["abort"] },
])(
  "discarding parts of $sizes bytes, of 10 at most, ends with $calls",
  async ({ sizes, calls: expected }) => {
    const flow = bodyWithFlow();
    const discarded = flow.body.discard(10);
    for (const size of sizes) flow.body.push(Buffer.alloc(size));
    flow.body.end();
    await discarded;
    expect(flow.calls.filter((call) => call !== "resume")).toEqual(expected);
  },
);
