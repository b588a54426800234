import { pino } from 'pino'
import { readPassword } from './admin/read-password.ts'
import { runAdmin } from './admin/run-admin.ts'
import { AppError } from './errors.ts'

// Files that this process makes, SQLite's among them, are for its user alone.
process.umask(0o077)

const logger = pino({ level: 'error' }, pino.destination(2))

const context = {
  env: process.env,
  logger,
  readPassword: () => readPassword({ input: process.stdin, output: process.stderr }),
}
const result = await runAdmin(process.argv.slice(2), context).catch((error: unknown) => ({
  ok: false,
  text:
    error instanceof AppError
      ? error.message
      : `The store could not be reached: ${error instanceof Error ? error.message : String(error)}`,
}))
const stream = result.ok ? process.stdout : process.stderr
stream.write(`${result.text}\n`)
process.exit(result.ok ? 0 : 1)
