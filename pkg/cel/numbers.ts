/** %g of Go: the shortest digits that say the number, with an exponent below -4 and from 6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 6) {
    const digits = String(Math.abs(power)).padStart(2, "0");
    return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
  }
  return withoutExponent(value);
}

/** %f of Go with as many digits as are needed. */
export function withoutExponent(value: number): string {
  const [mantissa = "", exponent] = String(value).split("e");
  if (exponent === undefined) return mantissa;
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const power = Number(exponent);
  const sign = value < 0 ? "-" : "";
  if (power < 0) return `${sign}0.${"0".repeat(-power - whole.length)}${whole}${fraction}`;
  return sign + whole + fraction.padEnd(power, "0");
}

/** What Go's ParseFloat reads; undefined for what it refuses, and for numbers that are too large. */
export function parseDouble(text: string): number | undefined {
  const special = /^(?<sign>[+-]?)(?<name>inf|infinity|nan)$/i.exec(text)?.groups;
  if (special !== undefined) {
    if (special["name"]?.toLowerCase() === "nan") return special["sign"] === "" ? Number.NaN : undefined;
    return special["sign"] === "-" ? -Infinity : Infinity;
  }
  if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
