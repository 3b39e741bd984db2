import { apiVersionOf, type Resource } from "../../api/resource.ts";
import { columnTexts, textsOfColumns } from "./column-descriptions.gen.ts";

/** What the columns of a built-in kind's table are, in their order. */
export function columnDescriptions(resource: Resource): readonly string[] {
  const numbers = textsOfColumns[`${apiVersionOf(resource)} ${resource.kind}`] ?? [];
  return numbers.map((number) => columnTexts[number] ?? "");
}
