import { type Logger, pino } from 'pino'

/** How many bytes of the log may wait, and how long: a write for every request costs more than the request's line. */
const WAITING_BYTES = 8 * 1024
const WAITING_MS = 100

const URGENT_LEVEL = pino.levels.values['warn'] ?? 0

/**
 * The server's log, as JSON lines on a descriptor. Lines are written together every tenth of a second. Warnings and
 * errors write immediately all that waits, and so does `flush()`, which the process calls when it ends.
 */
export function openLog({ level, descriptor }: { level: string; descriptor: number }): Logger {
  const file = pino.destination({ dest: descriptor, sync: true, minLength: WAITING_BYTES, periodicFlush: WAITING_MS })
  const options = {
    level,
    base: null,
    hooks: {
      logMethod(this: Logger, line: Parameters<pino.LogFn>, log: pino.LogFn, lineLevel: number) {
        log.apply(this, line)
        if (lineLevel >= URGENT_LEVEL) file.flushSync()
      },
    },
  }
  return pino(options, file)
}
