import { formatTime } from "../../api/time.ts";
import type { Container, Pod } from "../../api/types/core-v1.gen.ts";
import type { ProcessStreams } from "../../apiserver/server/pod-processes.ts";
import type { Clock } from "../../clock/clock.ts";
import { sleep } from "../../clock/wait.ts";

/** Where a command runs. */
export interface CommandPlace {
  readonly pod: Pod;
  readonly container: Container;
  readonly clock: Clock;
  readonly streams: ProcessStreams;
  readonly signal: AbortSignal;
}

type Command = (args: readonly string[], place: CommandPlace) => Promise<number>;

const NOT_FOUND = 127;

/** What hollow containers have of a system. */
const commands: Readonly<Record<string, Command>> = {
  ":": async () => 0,
  true: async () => 0,
  false: async () => 1,
  echo: async (args, { streams }) => {
    const isBare = args[0] === "-n";
    await streams.stdout(`${args.slice(isBare ? 1 : 0).join(" ")}${isBare ? "" : "\n"}`);
    return 0;
  },
  cat: async (args, place) => {
    let code = 0;
    for (const file of args.length === 0 ? ["-"] : args) code = (await copy(file, place)) ? code : 1;
    return code;
  },
  date: async (_args, { streams, clock }) => {
    await streams.stdout(`${formatTime(clock.nowMs())}\n`);
    return 0;
  },
  env: async (_args, place) => {
    const lines = Object.entries(environmentOf(place)).map(([name, value]) => `${name}=${value}\n`);
    await place.streams.stdout(lines.join(""));
    return 0;
  },
  printenv: async (args, place) => {
    const [name] = args;
    if (name === undefined) return runCommand(["env"], place);
    const value = environmentOf(place)[name];
    if (value === undefined) return 1;
    await place.streams.stdout(`${value}\n`);
    return 0;
  },
  hostname: async (_args, { pod, streams }) => {
    await streams.stdout(`${hostOf(pod)}\n`);
    return 0;
  },
  pwd: async (_args, { container, streams }) => {
    await streams.stdout(`${container.workingDir ?? "/"}\n`);
    return 0;
  },
  sleep: async ([seconds = ""], { clock, signal, streams }) => {
    const ms = seconds === "infinity" ? Infinity : Number.parseFloat(seconds) * 1_000;
    if (Number.isNaN(ms)) {
      await streams.stderr(`sleep: invalid number '${seconds}'\n`);
      return 1;
    }
    await sleep(clock, Math.min(ms, LONGEST_SLEEP_MS), signal);
    return 0;
  },
  whoami: async (_args, { streams }) => {
    await streams.stdout("root\n");
    return 0;
  },
};

const LONGEST_SLEEP_MS = 365 * 24 * 3_600_000;

/** Resolves to the exit code; one that is not there is said to be so. */
export async function runCommand(words: readonly string[], place: CommandPlace): Promise<number> {
  const [word = "", ...args] = words;
  const name = word.replace(/^(\/usr)?\/s?bin\//, "");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command(args, place);
  const known = Object.keys(commands).toSorted().join(" ");
  await place.streams.stderr(
    `sh: ${word}: not found. There is no program in a hollow container but ${known} sh\n`,
  );
  return NOT_FOUND;
}

export function environmentOf({
  pod,
  container,
}: Pick<CommandPlace, "pod" | "container">): Record<string, string> {
  const own = (container.env ?? []).flatMap(({ name, value, valueFrom }) => {
    const found = valueFrom === undefined ? (value ?? "") : fieldOf(pod, valueFrom.fieldRef?.fieldPath);
    return found === undefined ? [] : [[name, found] as const];
  });
  return {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: hostOf(pod),
    HOME: "/root",
    ...Object.fromEntries(own),
  };
}

function fieldOf({ metadata, spec, status }: Pod, path: string | undefined): string | undefined {
  const [, list, key = ""] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path ?? "") ?? [];
  if (list === "labels" || list === "annotations") return metadata[list]?.[key] ?? "";
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec?.nodeName,
    "spec.serviceAccountName": spec?.serviceAccountName,
    "status.hostIP": status?.hostIP,
    "status.podIP": status?.podIP,
  };
  return path === undefined ? undefined : fields[path];
}

function hostOf({ metadata, spec }: Pod): string {
  return spec?.hostname ?? metadata.name ?? "";
}

async function copy(file: string, { pod, streams }: CommandPlace): Promise<boolean> {
  if (file === "-") {
    for await (const chunk of streams.stdin) await streams.stdout(chunk);
    return true;
  }
  const files: Readonly<Record<string, string>> = {
    "/dev/null": "",
    "/etc/hostname": `${hostOf(pod)}\n`,
    "/etc/hosts": `127.0.0.1\tlocalhost\n${pod.status?.podIP ?? ""}\t${hostOf(pod)}\n`,
    "/var/run/secrets/kubernetes.io/serviceaccount/namespace": pod.metadata.namespace ?? "",
  };
  const text = Object.hasOwn(files, file) ? files[file] : undefined;
  if (text === undefined) await streams.stderr(`cat: can't open '${file}': No such file or directory\n`);
  else await streams.stdout(text);
  return text !== undefined;
}
