import type { Edit } from "../../mutants/mutant.ts";
import type { FamilyName } from "../scenario.ts";
import type { AreaName } from "../world/operations.ts";

/** A mistake that somebody could make. */
export interface Mutant extends Edit {
  readonly name: string;
  /** What the clusters are busy with that are to show it, other than the rest of its group. */
  readonly area?: AreaName | FamilyName;
  /** What clusters that could show it have: faults, or "watches hold". Others are left out. */
  readonly needs?: readonly string[];
  /** Where two things keep the same from going wrong, each hides that the other is missing. */
  readonly also?: Edit;
}
