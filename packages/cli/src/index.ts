export type { CliDeps, Environment, Output, Timers } from './deps.ts'
export { EXIT_CODES } from './failures.ts'
export { runCli } from './run-cli.ts'
