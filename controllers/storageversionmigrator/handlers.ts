import type { WakeRule } from "../../pkg/controller/cache.ts";
import { type Migration, resourceKeyOf } from "./migration.ts";

/** Migrations of a resource take turns: the end of one is the beginning of another. */
export const itsResource: WakeRule<Migration> = ({ object }, wake) => wake(resourceKeyOf(object));
