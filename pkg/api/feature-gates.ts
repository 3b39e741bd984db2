import { FEATURE_GATE_TABLE } from "./feature-gate-table.ts";

export type GateStage = "ALPHA" | "BETA" | "GA" | "DEPRECATED";

export interface Gate {
  readonly name: string;
  readonly stage: GateStage;
  readonly enabledByDefault: boolean;
  /** The default can no longer be changed. */
  readonly locked: boolean;
}

/** Which features are on. Asking for a gate that does not exist is a mistake in the program and throws. */
export interface FeatureGates {
  enabled(name: string): boolean;
  /** Every gate with its state, sorted by name. */
  list(): readonly (Gate & { readonly enabled: boolean })[];
}

export class FeatureGateError extends Error {
  readonly code = "FeatureGate";
  constructor(message: string) {
    super(message);
    this.name = "FeatureGateError";
  }
}

export const knownGates: ReadonlyMap<string, Gate> = new Map(
  FEATURE_GATE_TABLE.trim()
    .split("\n")
    .map((line) => parseRow(line.trim()))
    .map((gate) => [gate.name, gate]),
);

/** Gates that switch every gate of their stage that is not named itself. */
const STAGE_SWITCHES: Readonly<Record<string, GateStage>> = { AllAlpha: "ALPHA", AllBeta: "BETA" };

/** The gates as these settings (`name` to on or off) leave them. */
export function featureGates(settings: Readonly<Record<string, boolean>> = {}): FeatureGates {
  const state = new Map<string, boolean>();
  for (const gate of knownGates.values()) state.set(gate.name, gate.enabledByDefault);
  for (const [name, on] of Object.entries(settings)) checkSetting(name, on);
  for (const [name, stage] of Object.entries(STAGE_SWITCHES)) {
    const on = settings[name];
    if (on === undefined) continue;
    for (const gate of knownGates.values()) {
      if (gate.stage === stage && !gate.locked) state.set(gate.name, on);
    }
  }
  for (const [name, on] of Object.entries(settings)) state.set(name, on);
  return {
    enabled: (name) => {
      const on = state.get(name);
      if (on === undefined) throw new FeatureGateError(`feature ${JSON.stringify(name)} is not registered`);
      return on;
    },
    list: () => [...knownGates.values()].map((gate) => ({ ...gate, enabled: state.get(gate.name) ?? false })),
  };
}

/**
 * Reads `Name=true,kube:Other=false`. A component may stand before the name; only "kube" has gates here.
 * Throws a FeatureGateError for an unknown gate, a wrong value, or the change of a locked gate.
 */
export function parseFeatureGates(text: string): Record<string, boolean> {
  const settings: Record<string, boolean> = {};
  for (const part of text.split(",")) {
    const item = part.trim();
    if (item === "") continue;
    const equals = item.indexOf("=");
    if (equals < 0) throw new FeatureGateError(`missing bool value for ${item}`);
    const name = item
      .slice(0, equals)
      .trim()
      .replace(/^kube:/, "");
    const value = item.slice(equals + 1).trim();
    const on = parseBoolean(value);
    if (on === undefined) throw new FeatureGateError(`invalid value of ${name}=${value}: want true or false`);
    if (name.includes(":")) {
      throw new FeatureGateError(`component not registered: ${name.slice(0, name.indexOf(":"))}`);
    }
    checkSetting(name, on);
    settings[name] = on;
  }
  return settings;
}

function checkSetting(name: string, on: boolean): void {
  const gate = knownGates.get(name);
  if (gate === undefined) throw new FeatureGateError(`unrecognized feature gate: ${name}`);
  if (gate.locked && on !== gate.enabledByDefault) {
    throw new FeatureGateError(
      `cannot set feature gate ${name} to ${on}, feature is locked to ${gate.enabledByDefault}`,
    );
  }
}

/** The spellings that Go's strconv.ParseBool takes. */
export function parseBoolean(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  return undefined;
}

function parseRow(row: string): Gate {
  const [name = "", stage = "", state, locked] = row.split(" ");
  return {
    name,
    stage: stage as GateStage,
    enabledByDefault: state === "on",
    locked: locked === "locked",
  };
}
