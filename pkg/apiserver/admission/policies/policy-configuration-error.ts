/** A policy, or what binds it, asks for what is not there. */
export class PolicyConfigurationError extends Error {
  readonly code = "PolicyConfiguration";
}
