export type { CliDeps, Environment, Output } from './deps.ts'
export { EXIT_CODES } from './failures.ts'
export { runCli } from './run-cli.ts'
