import { expect, test } from "vitest";
import { listerOf } from "../../../test/harness/lister-of.ts";
import { newControllerRef } from "../../api/owner-references.ts";
import { resources } from "../../api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../api/types/apps-v1.gen.ts";
import {
  ownedAndOrphanedRevisions,
  REVISION_CONTROLLER_INDEX,
  revisionControllerIndex,
} from "./revision-index.ts";

const [mine, other] = ["mine", "other"].map((name): Pick<StatefulSet, "metadata"> => ({
  metadata: { name, namespace: "ns", uid: `${name}-uid` },
}));

// upstream: pkg/controller/history/controller_history_test.go#TestRealHistory_ListControllerRevisions
test.each([
  { name: "none of none", given: [], want: "" },
  { name: "all of its own", given: [revision("a", mine), revision("b", mine)], want: "a b" },
  { name: "not those of another", given: [revision("a", mine), revision("b", other)], want: "a" },
  { name: "and what nobody manages", given: [revision("a"), revision("b", mine)], want: "b a" },
])("an owner has $name", ({ given, want }) => {
  const revisions = listerOf<ControllerRevision>(given, {
    [REVISION_CONTROLLER_INDEX]: revisionControllerIndex,
  });
  const found = ownedAndOrphanedRevisions(revisions, mine ?? { metadata: {} }, "StatefulSet");
  expect(found.map(({ metadata }) => metadata.name).join(" ")).toBe(want);
});

function revision(name: string, owner?: Pick<StatefulSet, "metadata">): ControllerRevision {
  const ownerReferences = owner && [newControllerRef(owner, resources.statefulSets)];
  return { metadata: { name, namespace: "ns", ...(ownerReferences && { ownerReferences }) }, revision: 1 };
}
