import pg from 'pg'
import type { TestProject } from 'vitest/node'

const DEFAULT_URL = 'postgres://postgres@127.0.0.1:5432'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server on which tests make databases of their own, or null to test on SQLite alone. */
    postgresUrl: string | null
  }
}

/** Looks once for a PostgreSQL server, says which engines the tests run on, and tells every test file. */
export async function setup(project: TestProject): Promise<void> {
  const wanted = process.env['SVC_TEST_DATABASE_URL']
  const url = wanted ?? DEFAULT_URL
  const problem = await probe(url)
  if (problem !== null && isRequired()) throw new Error(explain(url, problem))
  project.provide('postgresUrl', problem === null ? url : null)
  process.stdout.write(`engines: SQLite, ${problem === null ? 'PostgreSQL' : `not PostgreSQL (${problem})`}\n`)
}

function isRequired(): boolean {
  const { CI, SVC_TEST_REQUIRE_POSTGRES, SVC_TEST_DATABASE_URL } = process.env
  return Boolean(CI) || SVC_TEST_REQUIRE_POSTGRES === '1' || SVC_TEST_DATABASE_URL !== undefined
}

async function probe(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  try {
    await client.connect()
    return null
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error)
  } finally {
    await client.end()
  }
}

function explain(url: string, problem: string): string {
  const { host } = new URL(url)
  return (
    `PostgreSQL is required and does not answer at ${host}: ${problem}. ` +
    'Start one there, or name one whose user may create databases in SVC_TEST_DATABASE_URL.'
  )
}
