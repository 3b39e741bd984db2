import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a room exports: the name there, and where it is declared. */
interface Exported {
  readonly name: string;
  readonly original: string;
  readonly file: string;
}

/** Longer ones, such as tables of all kinds, are shown by their beginning. */
const MOST_LINES = 80;

/**
 * A page in Markdown of all that a room exports, from its declarations, which keep the comments of the sources. Throws
 * for what is exported and declared nowhere.
 */
export function apiReference(room: string, index: string): string {
  const sections = exportsOf(index).map(({ name, original, file }) => {
    const { comment, code } = declarationOf(file, original);
    const shown = name === original ? code : code.replaceAll(new RegExp(`\\b${original}\\b`, "g"), name);
    return [`## ${name}`, ...(comment === "" ? [] : [comment]), `\`\`\`ts\n${shortened(shown)}\n\`\`\``].join(
      "\n\n",
    );
  });
  const intro = introductionOf(readFileSync(index, "utf8"));
  const head = [`# ${room}`, ...(intro === "" ? [] : [intro])];
  return `${[...head, ...sections].join("\n\n")}\n`;
}

function exportsOf(file: string): readonly Exported[] {
  const text = withoutComments(readFileSync(file, "utf8"));
  const lists = (word: "import" | "export"): readonly Exported[] =>
    [...text.matchAll(new RegExp(`^${word} (?:type )?\\{([^}]*)\\} from "([^"]+)";`, "gm"))].flatMap(
      ([, names = "", from = ""]) => namesIn(names, declarations(file, from)),
    );
  const imported = new Map(lists("import").map((each) => [each.name, each]));
  const handedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)].flatMap(([, names = ""]) =>
    namesIn(names, file).map((each) => ({ ...(imported.get(each.original) ?? each), name: each.name })),
  );
  const all = [...text.matchAll(/^export \* from "([^"]+)";/gm)].flatMap(([, from = ""]) =>
    exportsOf(declarations(file, from)),
  );
  const own = [
    ...text.matchAll(/^export (?:declare )?(?:abstract )?(?:function|class|const|interface|type) (\w+)/gm),
  ].map(([, name = ""]) => ({ name, original: name, file }));
  const one = new Map([...lists("export"), ...handedOn, ...all, ...own].map((each) => [each.name, each]));
  return [...one.values()];
}

/** Of what stands between the braces: "a, type B as C". */
function namesIn(names: string, file: string): readonly Exported[] {
  return names.split(",").flatMap((each) => {
    const [, original, name = original] = /^(?:type )?(\w+)(?: as (\w+))?$/.exec(each.trim()) ?? [];
    return original === undefined || name === undefined ? [] : [{ name, original, file }];
  });
}

const declarations = (file: string, from: string): string =>
  join(dirname(file), from.replace(/\.js$/, ".d.ts"));

interface Declaration {
  readonly comment: string;
  readonly code: string;
}

function declarationOf(file: string, name: string): Declaration {
  const text = readFileSync(file, "utf8");
  const starts = new RegExp(
    `^(?:export )?(?:declare )?(?:abstract )?(?:function|class|const|interface|type) ${name}\\b`,
    "gm",
  );
  const found = [...text.matchAll(starts)];
  if (found.length === 0) {
    const again = exportsOf(file).find((each) => each.name === name);
    if (again === undefined || again.file === file) throw new Error(`${name} is declared nowhere in ${file}`);
    return declarationOf(again.file, again.original);
  }
  return {
    comment: commentBefore(text, found[0]?.index ?? 0),
    code: found
      .map(({ index }) => text.slice(index, endOf(text, index)).replace(/^export (declare )?/, ""))
      .join("\n"),
  };
}

/** Declarations end with a semicolon, or with the brace of a body, outside of all brackets. */
function endOf(text: string, start: number): number {
  let depth = 0;
  const hasBody = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface) /.test(
    text.slice(start, start + 60),
  );
  for (let at = start; at < text.length; at++) {
    const skipped = skipText(text, at);
    if (skipped > at) {
      at = skipped - 1;
      continue;
    }
    const letter = text[at] ?? "";
    if ("{([".includes(letter)) depth++;
    if ("})]".includes(letter)) depth--;
    if (depth > 0) continue;
    // A brace in front of something else closes a type that the head names.
    const endsLine = (text[at + 1] ?? "\n") === "\n";
    if (letter === ";" || (hasBody && letter === "}" && endsLine)) return at + 1;
  }
  return text.length;
}

/** Behind a comment or a literal that begins here. */
function skipText(text: string, at: number): number {
  const rest = text.slice(at, at + 2);
  if (rest === "/*") return text.indexOf("*/", at) + 2;
  if (rest === "//") return text.indexOf("\n", at);
  const quote = text[at] ?? "";
  if (quote !== '"' && quote !== "'" && quote !== "`") return at;
  let end = at + 1;
  while (end < text.length && text[end] !== quote) end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function commentBefore(text: string, at: number): string {
  const [, comment = ""] = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*$/.exec(text.slice(0, at)) ?? [];
  return plain(comment);
}

/** Of a room: the comment that its index begins with. */
function introductionOf(text: string): string {
  const [, comment = ""] = /^\s*\/\*\*?((?:[^*]|\*(?!\/))*)\*\//.exec(text) ?? [];
  return plain(comment);
}

/** Without the stars. */
const plain = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();

const withoutComments = (text: string): string => text.replaceAll(/\/\*(?:[^*]|\*(?!\/))*\*\//g, "");

function shortened(code: string): string {
  const lines = code.split("\n");
  return lines.length <= MOST_LINES ? code : [...lines.slice(0, MOST_LINES), "…"].join("\n");
}
