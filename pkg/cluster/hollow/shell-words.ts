/** A command of a line, and how the one before it has to have ended for this one to run. */
export interface ShellCommand {
  readonly when: "always" | "succeeded" | "failed";
  readonly words: readonly string[];
}

export class ShellSyntaxError extends Error {
  readonly code = "SHELL_SYNTAX";
}

type Variables = (name: string) => string;

/** What a shell has beyond words, quotes, variables, `;`, `&&` and `||` is not understood. */
const BEYOND = new Set(["|", "&", "<", ">", "(", ")", "`", "{", "}"]);

/** Splits a line into commands. Variables are put in as the shell reads. Throws a ShellSyntaxError. */
export function* shellCommands(text: string, variables: Variables): Generator<ShellCommand> {
  let at = 0;
  let when: ShellCommand["when"] = "always";
  let words: string[] = [];
  while (at < text.length) {
    const separator = /^(?:;|\n|&&|\|\|)/.exec(text.slice(at, at + 2))?.[0];
    if (separator !== undefined) {
      if (words.length > 0) yield { when, words };
      when = separator === "&&" ? "succeeded" : separator === "||" ? "failed" : "always";
      words = [];
      at += separator.length;
    } else if (/\s/.test(text.charAt(at))) at++;
    else if (text.charAt(at) === "#") at = endOfLine(text, at);
    else {
      const word = readWord(text, at, variables);
      words.push(word.text);
      at = word.end;
    }
  }
  if (words.length > 0) yield { when, words };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function readWord(
  text: string,
  start: number,
  variables: Variables,
): { readonly text: string; readonly end: number } {
  let word = "";
  let at = start;
  while (at < text.length && !/[\s;]/.test(text.charAt(at))) {
    const character = text.charAt(at);
    if (BEYOND.has(character)) {
      if (text.startsWith("&&", at) || text.startsWith("||", at)) break;
      throw new ShellSyntaxError(`"${character}" is not understood by hollow containers`);
    }
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, at + 1);
      if (end < 0) throw new ShellSyntaxError(`unterminated quoted string`);
      const inner = text.slice(at + 1, end);
      word += character === "'" ? inner : expand(inner, variables);
      at = end + 1;
    } else if (character === "$") {
      const [name = "$"] = VARIABLE.exec(text.slice(at)) ?? [];
      word += expand(name, variables);
      at += name.length;
    } else if (character === "\\") {
      word += text.charAt(at + 1);
      at += 2;
    } else {
      word += character;
      at++;
    }
  }
  return { text: word, end: at };
}

const VARIABLE = /^\$(?:\w+|\{\w+\}|[?$#])/;

function expand(text: string, variables: Variables): string {
  if (/\$\(|`/.test(text))
    throw new ShellSyntaxError("command substitution is not understood by hollow containers");
  return text.replaceAll(
    /\$(?:(\w+)|\{(\w+)\}|([?$#]))/g,
    (_all, plain?: string, braced?: string, sign?: string) => variables(plain ?? braced ?? sign ?? ""),
  );
}
