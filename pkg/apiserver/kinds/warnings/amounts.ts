import { child, type Json } from "../../../api/json.ts";
import { readQuantity } from "../quantities.ts";

/** Bytes come in whole numbers. */
export function fractionWarnings(
  of: Json | undefined,
  key: string,
  path: string,
  names: readonly string[],
): readonly string[] {
  const amounts = child(of, key);
  if (amounts === undefined) return [];
  return names.flatMap((name) => {
    const given = amounts[name];
    // Most are whole at first sight.
    if (typeof given === "string" && /^[0-9]+[A-DF-Zk]?i?$/.test(given)) return [];
    const amount = readQuantity(given);
    if (amount === undefined || amount.roundUp(0).compare(amount) === 0) return [];
    return [`${path}[${name}]: fractional byte value "${amount.toString()}" is invalid, must be an integer`];
  });
}

export function claimSpecWarnings(spec: Json | undefined, path: string): readonly string[] {
  return ["requests", "limits"].flatMap((key) =>
    fractionWarnings(child(spec, "resources"), key, `${path}.resources.${key}`, ["storage"]),
  );
}
