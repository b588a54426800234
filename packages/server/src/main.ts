import { readConfig } from './config.ts'
import { reportFaults } from './lib/report-faults.ts'
import { stopInTime } from './lib/stop-in-time.ts'
import { startServer } from './server.ts'
import { openLog } from './telemetry/log.ts'

// Files that this process makes, SQLite's among them, are for its user alone.
process.umask(0o077)

const read = readConfig(process.env)
if (!read.ok) {
  process.stderr.write(reportFaults(read.faults))
  process.exit(1)
}

const { logger, requestLog } = openLog({ level: read.config.logLevel, descriptor: 2 })

function fail(error: unknown): never {
  logger.fatal({ err: error }, 'the service cannot go on')
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

process.on('exit', () => logger.flush())
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

function failToStart(error: unknown): never {
  process.stderr.write(`svc could not start: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

const server = await startServer(read.config, process.env, { logger, requestLog, onFatal: fail }).catch(failToStart)

let isStopping = false
async function stop(): Promise<void> {
  // A second signal is somebody who will not wait.
  if (isStopping) process.exit(1)
  isStopping = true
  process.exit(await stopInTime(server, logger).catch(fail))
}
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())

// Last: whoever reads it may send a signal at once.
process.stdout.write(`${server.summary.join('\n')}\n`)
