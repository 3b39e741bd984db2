/** The token of an Authorization header; undefined where there is none. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (authorization ?? "").trim().split(" ");
  return scheme.toLowerCase() !== "bearer" || token === "" ? undefined : token;
}
