import { type Logger, pino } from 'pino'

/** How many bytes of the log may wait, and how long. A write for every request costs more than what it says. */
const WAITING_BYTES = 8 * 1024
const WAITING_MS = 100

/** From this level on a line is written at once, with all that waits before it. */
const URGENT_LEVEL = pino.levels.values['warn'] ?? 0

/**
 * The server's log, as JSON lines on a descriptor. Lines wait for each other for a tenth of a second; warnings, errors
 * and `flush()` write all there is, which is to be done at the end of the process.
 */
export function openLog({ level, descriptor }: { level: string; descriptor: number }): Logger {
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
  return pino({ level, base: null }, destination)
}
