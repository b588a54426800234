import { type Logger, pino } from 'pino'
import { type RequestLog, requestLineText } from './request-log.ts'

/** How many bytes of the log may wait, and how long. A write for every request costs more than what it says. */
const WAITING_BYTES = 8 * 1024
const WAITING_MS = 100

/** From this level on a line is written at once, with all that waits before it. */
const URGENT_LEVEL = pino.levels.values['warn'] ?? 0

const REQUEST_LEVEL = 'info'

/** The server's log, and the short way into it for the lines of requests. */
export interface Log {
  logger: Logger
  requestLog: RequestLog
}

/**
 * The server's log, as JSON lines on a descriptor. Lines wait for each other for a tenth of a second; warnings, errors
 * and `flush()` write all there is, which is to be done at the end of the process.
 */
export function openLog({ level, descriptor }: { level: string; descriptor: number }): Log {
  const file = pino.destination({
    dest: descriptor,
    sync: true,
    minLength: WAITING_BYTES,
    periodicFlush: WAITING_MS,
  })
  const destination = {
    // Has pino say which level a line is of.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      file.write(line)
      if (destination.lastLevel >= URGENT_LEVEL) file.flushSync()
    },
    flush(done: () => void) {
      file.flushSync()
      done()
    },
  }
  const logger = pino({ level, base: null }, destination)
  const requestLevel = pino.levels.values[REQUEST_LEVEL] ?? 0
  return {
    logger,
    requestLog(line) {
      if (logger.isLevelEnabled(REQUEST_LEVEL)) file.write(requestLineText(requestLevel, line))
    },
  }
}
