export interface Case {
  readonly name: string;
  readonly passed: boolean;
  /** Of one that failed. */
  readonly message: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

const notRun = new Set(["pending", "skipped"]);

/** From a report that Ginkgo writes: the cases that ran, and what failed around them. */
export function specs(report: string): readonly Case[] {
  const suites = JSON.parse(report) as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => !notRun.has(State) && (LeafNodeType === "It" || State !== "passed"))
    .map(({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType, State, Failure }) => ({
      name: [...(ContainerHierarchyTexts ?? []), LeafNodeText === "" ? LeafNodeType : LeafNodeText].join(" "),
      passed: State === "passed",
      message: Failure?.Message ?? State,
    }));
}

/** From what `go test -v` writes: the tests that have no tests within them. */
export function goTests(output: string): readonly Case[] {
  const found = [...output.matchAll(/^ *--- (PASS|FAIL): (\S+)/gm)].map(([, verdict, name = ""]) => ({
    name,
    passed: verdict === "PASS",
    message: "see the test's own output",
  }));
  return found.filter(({ name }) => !found.some((other) => other.name.startsWith(`${name}/`)));
}
