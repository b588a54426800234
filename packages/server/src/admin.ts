import { pino } from 'pino'
import { runAdmin } from './admin/run-admin.ts'

const logger = pino({ level: 'error' }, pino.destination(2))
const result = await runAdmin(process.argv.slice(2), process.env, logger).catch((error: unknown) => ({
  ok: false,
  text: `The store could not be reached: ${error instanceof Error ? error.message : String(error)}`,
}))
const stream = result.ok ? process.stdout : process.stderr
stream.write(`${result.text}\n`)
process.exit(result.ok ? 0 : 1)
