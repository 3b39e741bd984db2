import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { projectFiles } from "./project-files.ts";
import type { Project } from "./project.ts";

/** Writes the project into a directory of its name, which must be new or empty. Resolves to how many files it has. */
export async function makeProject(parent: string, project: Project): Promise<number> {
  const directory = join(parent, project.name);
  try {
    await mkdir(directory, { recursive: true });
    if ((await readdir(directory)).length > 0)
      throw new StartError(`the directory ${project.name} is not empty`);
    const files = Object.entries(projectFiles(project));
    for (const [path, text] of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text, { flag: "wx" });
    }
    return files.length;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`the project cannot be written`, error);
  }
}
