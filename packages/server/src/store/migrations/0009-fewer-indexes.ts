/**
 * The executions of a runtime are found by the index of runtime and project together, one range for each project that it
 * ran in. In either index a call is written to a page of its own, where an owner has many runtimes.
 */
export function fewerIndexes(): string[] {
  return ['drop index executions_by_runtime_status']
}
