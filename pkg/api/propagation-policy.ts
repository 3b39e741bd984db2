/** What becomes of the dependents of an object that is deleted. */
export type PropagationPolicy = "Orphan" | "Background" | "Foreground";
