import { readConfig, reportFaults } from './config.ts'
import { stopInTime } from './lib/stop-in-time.ts'
import { portHolder } from './ops/port-holder.ts'
import { startServer } from './server.ts'
import { openLog } from './telemetry/log.ts'

// Files that this process makes, SQLite's among them, are readable by its user alone.
process.umask(0o077)

const read = readConfig(process.env)
if (!read.ok) {
  process.stderr.write(reportFaults(read.faults))
  process.exit(1)
}

const logger = openLog({ level: read.config.logLevel, descriptor: 2 })

function fail(error: unknown): never {
  logger.fatal({ err: error }, 'the service cannot go on')
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

process.on('exit', () => logger.flush())
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

function isPortTaken(error: unknown): error is Error & { port: number } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error
}

function portAdvice(port: number): string {
  const holder = portHolder(port)
  return `${holder ? `${holder} listens there. ` : ''}End it, or take another port: PORT=${port + 1} npm start\n`
}

function failToStart(error: unknown): never {
  const advice = isPortTaken(error) ? portAdvice(error.port) : ''
  logger.flush()
  process.stderr.write(`svc could not start: ${error instanceof Error ? error.message : String(error)}\n${advice}`)
  process.exit(1)
}

const server = await startServer(read.config, process.env, { logger, onFatal: fail }).catch(failToStart)

let isStopping = false
async function stop(): Promise<void> {
  // A second signal ends the process immediately.
  if (isStopping) process.exit(1)
  isStopping = true
  process.exit(await stopInTime(server, logger).catch(fail))
}
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())

// Last: a program that reads these lines may send a signal immediately.
process.stdout.write(`${server.summary.join('\n')}\n`)
