import {
  type Event,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { isJson, type Json } from "../../api/json.ts";
import { setKey } from "../../api/patch/json.ts";
import { YamlError, yamlScalar } from "./yaml-scalar.ts";

const maxDepth = 1000;
/** What aliases may make of a text: each stands for all that its anchor holds. */
const maxNodes = 1_000_000;

export interface YamlText {
  /** Of the first document; null when there is none. */
  readonly value: unknown;
  /** Keys that a mapping has twice, as the API server tells of them. */
  readonly duplicates: readonly string[];
}

/** Reads YAML as the API server does: as Go's YAML 1.1, into what is JSON. */
export function parseYaml(text: string): YamlText {
  const reader = new YamlReader(text, eventsOf(text));
  return { value: reader.document(), duplicates: reader.duplicates };
}

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const [, line, reason] = problemOf(error);
    throw new YamlError(
      reason?.includes("maxDepth") === true
        ? `yaml: exceeded max depth of ${maxDepth}`
        : `yaml: line ${line}: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

function problemOf(error: YAMLException): readonly [string, number, string | undefined] {
  return [error.message, (error.mark?.line ?? 0) + 1, error.reason];
}

interface Anchored {
  readonly value: unknown;
  readonly nodes: number;
}

class YamlReader {
  readonly duplicates: string[] = [];
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Anchored>();
  #at = 0;
  #nodes = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  document(): unknown {
    // The first event opens the document.
    this.#at = 1;
    const event = this.#events[this.#at];
    return event === undefined || event.type === EVENT_ID.POP ? null : this.#node();
  }

  #node(): unknown {
    const event = this.#next();
    const before = this.#nodes;
    this.#count(1);
    if (event.type === EVENT_ID.ALIAS)
      return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd));
    if (event.type === EVENT_ID.SCALAR) return this.#anchored(event, this.#scalar(event), before);
    if (event.type === EVENT_ID.SEQUENCE) {
      const list: unknown[] = [];
      while (!this.#isEnd()) list.push(this.#node());
      return this.#anchored(event, list, before);
    }
    if (event.type !== EVENT_ID.MAPPING) throw new YamlError("yaml: unexpected end of a document");
    return this.#anchored(event, this.#mapping(), before);
  }

  #mapping(): Json {
    const map: Json = {};
    while (!this.#isEnd()) {
      const at = this.#events[this.#at];
      const key = this.#node();
      const isMerge = key === "<<" && at?.type === EVENT_ID.SCALAR && at.style === SCALAR_STYLE.PLAIN;
      const value = this.#node();
      const members = isMerge ? mergedMembers(value) : [[keyText(key), value] as const];
      for (const [name, member] of members) {
        if (Object.hasOwn(map, name))
          this.duplicates.push(`line ${this.#lineOf(at)}: key ${JSON.stringify(name)} already set in map`);
        setKey(map, name, member);
      }
    }
    return map;
  }

  #scalar(event: ScalarEvent): unknown {
    const value = getScalarValue(this.#text, event);
    const tag = event.tagStart < 0 ? "" : this.#text.slice(event.tagStart, event.tagEnd);
    if (tag === "" && event.style !== SCALAR_STYLE.PLAIN) return value;
    return yamlScalar(value, tag);
  }

  #alias(name: string): unknown {
    const found = this.#anchors.get(name.replace(/^\*/, ""));
    if (found === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    this.#count(found.nodes);
    return found.value;
  }

  #anchored(
    event: { readonly anchorStart: number; readonly anchorEnd: number },
    value: unknown,
    before: number,
  ): unknown {
    if (event.anchorStart >= 0) {
      const name = this.#text.slice(event.anchorStart, event.anchorEnd).replace(/^&/, "");
      this.#anchors.set(name, { value, nodes: this.#nodes - before });
    }
    return value;
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > maxNodes) throw new YamlError("yaml: document contains excessive aliasing");
  }

  #next(): Event {
    const event = this.#events[this.#at++];
    if (event === undefined) throw new YamlError("yaml: unexpected end of a document");
    return event;
  }

  /** Goes on behind the end of a collection. */
  #isEnd(): boolean {
    if (this.#events[this.#at]?.type !== EVENT_ID.POP) return false;
    this.#at++;
    return true;
  }

  #lineOf(event: Event | undefined): number {
    const start = event?.type === EVENT_ID.SCALAR ? event.valueStart : 0;
    return this.#text.slice(0, start).split("\n").length;
  }
}

function mergedMembers(value: unknown): readonly (readonly [string, unknown])[] {
  const sources: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value];
  return sources.flatMap((source) => {
    if (isJson(source)) return Object.entries(source);
    throw new YamlError("yaml: map merge requires map or sequence of maps as the value");
  });
}

function keyText(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key === "object") throw new YamlError("yaml: invalid map key");
  return JSON.stringify(key);
}
