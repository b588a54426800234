import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  const runName = `svc_run_${randomBytes(8).toString('hex')}`
  project.provide('machine', machine)
  project.provide('runName', runName)
  process.stdout.write(`engines: SQLite${machine.postgres === undefined ? '' : ', PostgreSQL'}\n`)
  return async () => {
    for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(runName))) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
    if (machine.postgres !== undefined) await dropDatabases(machine.postgres, runName)
  }
}

async function dropDatabases(server: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    const found = await client.query('select datname from pg_database where starts_with(datname, $1)', [prefix])
    for (const { datname } of found.rows) await client.query(`drop database if exists ${datname} with (force)`)
  } finally {
    await client.end()
  }
}
