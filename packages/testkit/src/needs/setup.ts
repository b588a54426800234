import type { TestProject } from 'vitest/node'
import { inspectMachine, missingInCi } from './known-needs.ts'

/** Looks once at the machine, says which database engines the tests run on, and tells every test file what is there. */
export async function setup(project: TestProject): Promise<void> {
  const machine = await inspectMachine(process.env)
  const missing = missingInCi(machine)
  if (process.env['CI'] && missing.length > 0) {
    throw new Error(`no test may be skipped under CI, and these are missing:\n  ${missing.join('\n  ')}`)
  }
  project.provide('machine', machine)
  process.stdout.write(`engines: SQLite${machine.postgres === undefined ? '' : ', PostgreSQL'}\n`)
}
