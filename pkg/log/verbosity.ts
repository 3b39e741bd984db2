interface ModulePattern {
  readonly glob: RegExp;
  readonly level: number;
}

/**
 * The levels of --v and --vmodule, shared by every logger of a process and changeable while it runs.
 * Loggers cache their threshold and look again when `generation` has moved.
 */
export class Verbosity {
  #level: number;
  #modules: readonly ModulePattern[];
  #generation = 0;

  constructor(level = 0, vmodule = "") {
    this.#level = level;
    this.#modules = parseVmodule(vmodule);
  }

  get generation(): number {
    return this.#generation;
  }

  setLevel(level: number): void {
    this.#level = level;
    this.#generation++;
  }

  /** Throws on a malformed list and then leaves the levels as they were. */
  setVmodule(vmodule: string): void {
    this.#modules = parseVmodule(vmodule);
    this.#generation++;
  }

  /** The first pattern that matches decides, even when it is lower than --v; without one, --v does. */
  thresholdOf(component: string): number {
    return this.#modules.find((module) => module.glob.test(component))?.level ?? this.#level;
  }
}

/** `pattern=N,pattern=N`; a pattern is a glob (*, ?, [a-z]) over the whole component name. */
function parseVmodule(text: string): readonly ModulePattern[] {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  return entries.map((entry) => {
    const equals = entry.indexOf("=");
    const pattern = entry.slice(0, equals);
    const level = entry.slice(equals + 1);
    if (equals <= 0 || !/^\d+$/.test(level)) {
      throw new Error(`invalid vmodule entry ${JSON.stringify(entry)}: want pattern=N with N a whole number`);
    }
    return { glob: globToRegExp(pattern), level: Number(level) };
  });
}

function globToRegExp(glob: string): RegExp {
  const source = glob.replaceAll(/\[[^\]]+\]|[\s\S]/g, (token) => {
    if (token === "*") return ".*";
    if (token === "?") return ".";
    if (token.length > 1) return token.replaceAll("\\", "\\\\").replace(/^\[!/, "[^");
    return token.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`);
}
