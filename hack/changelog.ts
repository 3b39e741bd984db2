// What has changed, release by release, as the subjects of the commits say it. `node hack/changelog.ts` prints it.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const SEPARATOR = "\u001f";

interface Commit {
  readonly subject: string;
  readonly date: string;
  /** The release that it is the last commit of. */
  readonly release: string | undefined;
}

/** Sections by release, the newest first; what no release has yet comes before them. */
export function changelogOf(commits: readonly Commit[]): string {
  const sections: { title: string; subjects: string[] }[] = [];
  for (const { subject, date, release } of commits) {
    if (release !== undefined || sections.length === 0)
      sections.push({ title: release === undefined ? "Unreleased" : `${release} (${date})`, subjects: [] });
    sections.at(-1)?.subjects.push(`- ${subject}`);
  }
  const texts = sections.map(({ title, subjects }) => `## ${title}\n\n${subjects.join("\n")}\n`);
  return ["# Changes\n", ...texts].join("\n");
}

export function parseLog(log: string): readonly Commit[] {
  const lines = log.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [subject = "", date = "", refs = ""] = line.split(SEPARATOR);
    return { subject, date, release: /tag: v(\d[^,)]*)/.exec(refs)?.[1] };
  });
}

export function changelog(directory: string): string {
  const format = ["%s", "%cs", "%D"].join("%x1f");
  const { status, stdout, stderr } = spawnSync("git", ["log", "--first-parent", `--format=${format}`], {
    cwd: directory,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git log has failed: ${stderr}`);
  return changelogOf(parseLog(stdout));
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write(changelog(resolve(import.meta.dirname, "..")));
}
