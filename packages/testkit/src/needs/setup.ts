import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { inspectMachine, missingInCi } from './known-needs.ts'

/** Looks once at the machine, says which database engines the tests run on, and tells every test file what is there. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const machine = await inspectMachine(process.env)
  const missing = missingInCi(machine)
  if (process.env['CI'] && missing.length > 0) {
    throw new Error(`no test may be skipped under CI, and these are missing:\n  ${missing.join('\n  ')}`)
  }
  const template = `svc_template_${randomBytes(8).toString('hex')}`
  project.provide('machine', machine)
  project.provide('postgresTemplate', template)
  process.stdout.write(`engines: SQLite${machine.postgres === undefined ? '' : ', PostgreSQL'}\n`)
  return async () => {
    if (machine.postgres !== undefined) await dropDatabase(machine.postgres, template)
  }
}

async function dropDatabase(server: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`drop database if exists ${name} with (force)`).finally(() => client.end())
}
