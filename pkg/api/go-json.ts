/** JSON as Go's encoding/json writes maps: keys sorted by their bytes, <, >, & and line separators escaped. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map(([key, field]) => `${goString(key)}:${goJson(field)}`);
    return `{${fields.join(",")}}`;
  }
  return typeof value === "string" ? goString(value) : JSON.stringify(value);
}

function goString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
