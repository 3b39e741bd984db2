import type { Container, Pod } from "../../api/types/core-v1.gen.ts";

/** One thing that a pretended process does. */
export type Step =
  | { readonly do: "sleep"; readonly ms: number }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "ready"; readonly value: boolean }
  /** Writes a line. */
  | { readonly do: "say"; readonly text: string }
  /** Does these again and again, which write and sleep. */
  | { readonly do: "repeat"; readonly steps: readonly Step[] }
  /** Goes on for ever, and does nothing. */
  | { readonly do: "run" };

/** What the process is doing at some moment, and when that changes next. */
export type Progress =
  | { readonly state: "running"; readonly ready: boolean; readonly changesAtMs: number | undefined }
  | { readonly state: "exited"; readonly code: number; readonly atMs: number };

/**
 * Lets a user say what containers do: steps joined by ";", for every container, or with ".NAME" behind it for one.
 * Steps: `sleep N` (seconds), `exit N`, `ready`, `unready`, `run`. E.g. `sleep 2; ready; sleep 10; exit 1`.
 */
export const SCRIPT_ANNOTATION = "kcm.dev/script";

/**
 * What a container does: as the annotation says, else as far as its command can be understood (`sleep 5; exit 1`, also
 * behind `sh -c`). What cannot be understood runs for ever, as servers do; an init container without a command is done
 * at once.
 */
export function scriptOf(pod: Pod, container: Container, isInit: boolean): readonly Step[] {
  const annotations = pod.metadata.annotations ?? {};
  const script = annotations[`${SCRIPT_ANNOTATION}.${container.name}`] ?? annotations[SCRIPT_ANNOTATION];
  if (script !== undefined) return parseScript(script) ?? [{ do: "run" }];
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  if (words.length === 0) return [isInit ? { do: "exit", code: 0 } : { do: "run" }];
  return parseScript(shellText(words)) ?? [{ do: "run" }];
}

function shellText(words: readonly string[]): string {
  const [first = "", second = "", third = ""] = words;
  const isShell = /(^|\/)(ba|da|a)?sh$/.test(first) && /^-[a-z]*c$/.test(second);
  return isShell ? third : words.join(" ");
}

const LOOP = /^(.*?)(?:^|;|&&|\n)\s*while\s+(?:true|:)\s*[;\n]\s*do\s+(.*?)[;\n]\s*done\s*;?\s*$/s;

/** Undefined when a step is not understood. A script that comes to its end has exited with 0. */
export function parseScript(text: string): readonly Step[] | undefined {
  const loop = LOOP.exec(text);
  if (loop === null) return parseSteps(text);
  const [before, repeated] = [parseSteps(loop[1] ?? ""), parseSteps(loop[2] ?? "")];
  const isPlain = repeated?.every((step) => step.do === "say" || step.do === "sleep") === true;
  if (before === undefined || repeated === undefined || !isPlain) return undefined;
  return [...before, { do: "repeat", steps: repeated }];
}

function parseSteps(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  for (const part of text.split(/;|&&|\n/)) {
    const command = part.trim();
    if (command === "") continue;
    const step = parseStep(command);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

function parseStep(command: string): Step | undefined {
  const [name = "", argument, ...rest] = command.split(/\s+/);
  if (name === "echo") return parseEcho(command.slice("echo".length).trim());
  const isNumber = argument !== undefined && rest.length === 0 && /^\d+(\.\d+)?s?$/.test(argument);
  if (/(^|\/)sleep$/.test(name)) {
    if (argument === "infinity") return { do: "run" };
    return isNumber ? { do: "sleep", ms: Number.parseFloat(argument) * 1_000 } : undefined;
  }
  if (name === "exit") return { do: "exit", code: isNumber ? Number(argument) : 0 };
  if (argument !== undefined) return undefined;
  if (/(^|\/)true$/.test(name)) return { do: "exit", code: 0 };
  if (/(^|\/)false$/.test(name)) return { do: "exit", code: 1 };
  if (name === "ready" || name === "unready") return { do: "ready", value: name === "ready" };
  return name === "run" ? { do: "run" } : undefined;
}

/** Only what needs no shell to be understood. */
function parseEcho(text: string): Step | undefined {
  const [, quote = "", quoted = ""] = /^(["'])(.*)\1$/s.exec(text) ?? [];
  const said = quote === "" ? text : quoted;
  const isPlain = quote === "'" || !/[$`\\]/.test(said);
  if (!isPlain || (quote === "" && /["'|<>&*?()]/.test(said)) || (quote !== "" && said.includes(quote)))
    return undefined;
  return { do: "say", text: quote === "" ? said.replaceAll(/\s+/g, " ") : said };
}

/** Where a process that began at `startedMs` is at `nowMs`. Without a step `ready` it is ready from the start. */
export function progressOf(steps: readonly Step[], startedMs: number, nowMs: number): Progress {
  let atMs = startedMs;
  let ready = !steps.some((step) => step.do === "ready" && step.value);
  for (const step of steps) {
    if (step.do === "exit") return { state: "exited", code: step.code, atMs };
    if (step.do === "run" || step.do === "repeat") return { state: "running", ready, changesAtMs: undefined };
    if (step.do === "ready") ready = step.value;
    else if (step.do === "sleep") {
      atMs += step.ms;
      if (atMs > nowMs) return { state: "running", ready, changesAtMs: atMs };
    }
  }
  return { state: "exited", code: 0, atMs };
}
