import { createInterface } from 'node:readline'
import { pino } from 'pino'
import { runAdmin } from './admin/run-admin.ts'
import { AppError } from './errors.ts'

// Files that this process makes, SQLite's among them, are for its user alone.
process.umask(0o077)

const logger = pino({ level: 'error' }, pino.destination(2))

async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin })
  for await (const line of lines) return line
  return ''
}

const result = await runAdmin(process.argv.slice(2), { env: process.env, logger, readLine }).catch(
  (error: unknown) => ({
    ok: false,
    text:
      error instanceof AppError
        ? error.message
        : `The store could not be reached: ${error instanceof Error ? error.message : String(error)}`,
  }),
)
const stream = result.ok ? process.stdout : process.stderr
stream.write(`${result.text}\n`)
process.exit(result.ok ? 0 : 1)
