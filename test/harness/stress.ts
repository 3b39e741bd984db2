/** Long versions of tests were asked for. */
export const STRESS = process.env["STRESS"] === "1";
