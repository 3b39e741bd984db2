import { configureGlobal } from "fast-check";

/**
 * Properties are tried with the same cases in every run, so that a red run is the change's doing. `FRESH=1 make test`
 * looks for new ones; a failure prints its seed, and becomes a case of its own.
 */
const FIXED_SEED = 20_261_118;

if (process.env["FRESH"] === undefined) configureGlobal({ seed: FIXED_SEED });
