import { type Logger, pino } from 'pino'

/** The size and the time after which buffered lines are written: a write for every request costs more than its line. */
const BUFFER_BYTES = 8 * 1024
const FLUSH_MS = 100

const URGENT_LEVEL = pino.levels.values['warn'] ?? 0

/**
 * The server's log, as JSON lines on a descriptor. Lines are written together every tenth of a second. Warnings and
 * errors flush the buffer immediately, and so does `flush()`, which the process calls when it ends.
 */
export function openLog({ level, descriptor }: { level: string; descriptor: number }): Logger {
  const file = pino.destination({ dest: descriptor, sync: true, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS })
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
