import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { FlagError, ofType } from "../kube-controller-manager/options/flag.ts";
import { defineCommand } from "./command.ts";
import { clusterNameType, groupType, kindType, textType } from "./flag-types.ts";

export const newCommand = defineCommand({
  name: "new",
  takes: "NAME",
  summary: "Make the project of an operator: custom resource, controller, tests, image, manifests, CI",
  flags: {
    group: ofType(groupType)("group", "example.com", "Group of the custom resource: a domain that is yours."),
    kind: ofType(kindType)("kind", "", "Its kind; NAME in capitals when left out."),
    source: ofType(textType)(
      "package",
      "",
      "What npm installs kube-controller-manager from: a range of versions, or the path of a tarball; this version when left out.",
    ),
  },
  examples: [
    ["kcm new website --group example.com", "In the directory website"],
    ["kcm new website --package ./kube-controller-manager-0.36.0.tgz", "On a tarball that is in no registry"],
    ["cd website && npm install && npm run dev", "It runs, with a cluster of its own"],
  ],
  run: async ({ values, words }) => {
    const [word, ...more] = words;
    if (word === undefined) throw new FlagError("name the project");
    if (more.length > 0)
      throw new FlagError(`unexpected argument ${JSON.stringify(more[0])}: one project at a time`);
    const { makeProject } = await import("./new/make-project.ts");
    // The cluster of its own is called so, too.
    const name = clusterNameType.parse(word);
    const kind = values.kind || kindOf(name);
    const source = values.source === "" ? undefined : sourceOf(name, values.source);
    const project = { name, group: values.group, kind, source };
    const files = await makeProject(process.cwd(), project);
    process.stdout.write(
      `made ${name}: ${files} files\n\n  cd ${name}\n  npm install\n  npm run dev     # it runs, with a cluster of its own\n  npm test\n`,
    );
    return 0;
  },
});

const kindOf = (name: string): string =>
  kindType.parse(name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));

/** A tarball is named as it is found from the project. */
const sourceOf = (name: string, source: string): string =>
  existsSync(source) ? `file:${relative(resolve(name), source)}` : source;
