import { expect, test } from "vitest";
import { isDeletable } from "./deletable.ts";

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestGetDeletableResources
test.each<[string, string, readonly string[], boolean]>([
  ["what can be deleted, listed and watched", "apps/pods", ["delete", "list", "watch"], true],
  ["nothing that can only be deleted", "acme/widgets", ["delete"], false],
  ["nothing without verbs", "/services", [], false],
  ["no events", "/events", ["delete", "list", "watch"], false],
  ["no events of the newer kind", "events.k8s.io/events", ["delete", "list", "watch"], false],
])("garbage is %s", (_, name, verbs, expected) => {
  const [group = "", plural = ""] = name.split("/");
  const names = { group, version: "v1", plural, kind: "Any", namespaced: true };
  expect(isDeletable({ ...names, verbs })).toBe(expected);
});
