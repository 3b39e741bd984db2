import { child, type Json } from "../../../api/json.ts";
import { quantities } from "../quantities.ts";

/** Bytes come in whole numbers. */
export function fractionWarnings(
  of: Json | undefined,
  key: string,
  path: string,
  names: readonly string[],
): readonly string[] {
  const amounts = quantities(of, key);
  return names.flatMap((name) => {
    const amount = amounts.get(name);
    if (amount === undefined || amount.roundUp(0).compare(amount) === 0) return [];
    return [`${path}[${name}]: fractional byte value "${amount.toString()}" is invalid, must be an integer`];
  });
}

export function claimSpecWarnings(spec: Json | undefined, path: string): readonly string[] {
  return ["requests", "limits"].flatMap((key) =>
    fractionWarnings(child(spec, "resources"), key, `${path}.resources.${key}`, ["storage"]),
  );
}
