import { readConfig } from './config.ts'
import { limitTime } from './limit-time.ts'
import { openLog } from './log.ts'
import { reportFaults } from './report-faults.ts'
import { startServer } from './server.ts'

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

// Many supervisors kill after thirty seconds. A database that is away may keep what ends waiting for longer.
const STOP_MS = 29_500

let isStopping = false
async function stop(): Promise<void> {
  // A second signal is somebody who will not wait.
  if (isStopping) process.exit(1)
  isStopping = true
  const stopped = server.stop().then(() => true)
  const hasStopped = await limitTime(stopped, STOP_MS, false).catch(fail)
  if (!hasStopped) logger.error('the service did not stop in time')
  process.exit(hasStopped ? 0 : 1)
}
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())

// Last: whoever reads it may send a signal at once.
process.stdout.write(`${server.summary.join('\n')}\n`)
