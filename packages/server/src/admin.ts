import { pino } from 'pino'
import { CommandError } from './admin/command-error.ts'
import { USAGE } from './admin/parse-command.ts'
import { readPassword } from './admin/read-password.ts'
import { runAdmin } from './admin/run-admin.ts'
import { AppError } from './errors.ts'

// Files that this process makes, SQLite's among them, are readable by its user alone.
process.umask(0o077)

const args = process.argv.slice(2)
if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}

try {
  const result = await runAdmin(args, {
    env: process.env,
    logger: pino({ level: 'info' }, pino.destination(2)),
    readPassword: () => readPassword({ input: process.stdin, output: process.stderr }),
  })
  process.stdout.write(`${JSON.stringify(result)}\n`)
  process.exit(0)
} catch (error) {
  const isAnswer = error instanceof CommandError || error instanceof AppError
  const problem = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${isAnswer ? problem : `The store could not be reached: ${problem}`}\n`)
  process.exit(1)
}
