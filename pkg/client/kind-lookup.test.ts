import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { ApiResource, ApiSurface } from "./discovery-documents.ts";
import { ApiError } from "./errors.ts";
import { KindLookup } from "./kind-lookup.ts";

const { signal } = new AbortController();
const widget = { group: "example.com", kind: "Widget" };
const facts = { namespaced: true, verbs: [], subresources: [], shortNames: [], categories: [] };

let clock: VirtualClock;
let surface: ApiSurface;
let asked: number;
let lookup: KindLookup;
beforeEach(() => {
  clock = new VirtualClock();
  surface = surfaceOf();
  asked = 0;
  const discovery = { surface: async () => surface, invalidate: () => void asked++ };
  lookup = new KindLookup({ discovery }, clock);
});

function surfaceOf(...versions: string[]): ApiSurface {
  const resources = versions.map((version): ApiResource => ({
    ...widget,
    version,
    plural: "widgets",
    ...facts,
  }));
  return { groups: [{ name: widget.group, versions }], resources, failures: new Map() };
}

test("a kind is found in the version that the server prefers", async () => {
  surface = surfaceOf("v2", "v1");
  expect(await lookup.find(widget, signal)).toMatchObject({ plural: "widgets", version: "v2" });
  expect(await lookup.find({ ...widget, group: "other.com" }, signal)).toBeUndefined();
});

test("of two resources of one kind the first is found", async () => {
  const [first] = surfaceOf("v1").resources;
  const resources = ["widgets", "gadgets"].flatMap((plural) => (first ? [{ ...first, plural }] : []));
  surface = { ...surfaceOf("v1"), resources };
  expect(await lookup.find(widget, signal)).toMatchObject({ plural: "widgets" });
});

test("an unknown kind is asked for again, but not all the time", async () => {
  expect(await lookup.find(widget, signal)).toBeUndefined();
  expect(await lookup.find(widget, signal)).toBeUndefined();
  expect(asked).toBe(1);
  await clock.advanceBy(30_000);
  surface = surfaceOf("v1");
  expect(await lookup.find(widget, signal)).toMatchObject({ version: "v1" });
});

test("nobody knows of a kind whose group cannot be discovered", async () => {
  surface = { ...surfaceOf(), failures: new Map([["example.com/v1", new Error("stale")]]) };
  await expect(lookup.find(widget, signal)).rejects.toThrow("stale");
});

test("a group that could not be discovered is asked for again, but not all the time", async () => {
  surface = { ...surfaceOf(), failures: new Map([["example.com/v1", new Error("stale")]]) };
  for (let look = 0; look < 3; look++) await expect(lookup.find(widget, signal)).rejects.toThrow("stale");
  expect(asked).toBe(1);
  const discovery = {
    surface: async () => (asked > 1 ? surfaceOf("v1") : surface),
    invalidate: () => void asked++,
  };
  lookup = new KindLookup({ discovery }, clock);
  expect(await lookup.find(widget, signal)).toMatchObject({ version: "v1" });
});

describe("what is not found where the kind was", () => {
  const where = { method: "GET", path: "/" } as const;
  const notFound = new ApiError("not found", { code: 404, reason: "NotFound", ...where });
  const refused = new ApiError("refused", { code: 403, reason: "Forbidden", ...where });
  const places = surfaceOf("v1beta1", "v1").resources;
  const [before] = places;
  /** From the next question on the server serves v1. */
  function moving(): void {
    const discovery = {
      surface: async () => surfaceOf(asked > 0 ? "v1" : "v1beta1"),
      invalidate: () => void asked++,
    };
    lookup = new KindLookup({ discovery }, clock);
  }
  const ask = async (answers: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const request = async ({ version }: ApiResource): Promise<unknown> => {
      const answer = answers[version];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return lookup.ask(widget, before ?? expect.fail("no place"), request, signal);
  };

  test("is asked for where the kind is by now", async () => {
    moving();
    expect(await ask({ v1beta1: notFound, v1: "there" })).toMatchObject({
      resource: { version: "v1" },
      answer: "there",
    });
  });

  test("is nowhere when the kind is where it was, and that is not asked for all the time", async () => {
    surface = surfaceOf("v1beta1");
    for (let look = 0; look < 3; look++) await expect(ask({ v1beta1: notFound })).rejects.toBe(notFound);
    expect(asked).toBe(1);
  });

  test("is nowhere when the kind is not there any more", async () => {
    await expect(ask({ v1beta1: notFound })).rejects.toBe(notFound);
  });

  test("is not what was refused", async () => {
    moving();
    await expect(ask({ v1beta1: refused, v1: "there" })).rejects.toBe(refused);
    expect(asked).toBe(0);
  });
});
