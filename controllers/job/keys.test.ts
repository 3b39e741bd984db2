import { expect, test } from "vitest";
import { namespaceOfOrphans, SelectedPods } from "./keys.ts";

test("there is one key for the same pods, so that a queue has it once", () => {
  const first = SelectedPods.of("team", "app=web,tier in (a)");
  expect(SelectedPods.of("team", "app=web,tier in (a)")).toBe(first);
  expect(SelectedPods.of("team", "app=web")).not.toBe(first);
  expect(SelectedPods.of("other", "app=web,tier in (a)")).not.toBe(first);
});

test("keys of both sorts take turns with those of their namespace", () => {
  expect(namespaceOfOrphans("team/pod")).toBe("team");
  expect(namespaceOfOrphans(SelectedPods.of("team", "app=web"))).toBe("team");
});

test("a key says what it is of", () => {
  expect(String(SelectedPods.of("team", "app=web"))).toBe("team/(app=web)");
});
