import type { Logger } from 'pino'
import { limitTime } from './limit-time.ts'

/** Many supervisors kill a process after 30 s. While the database is away, stopping may take longer. */
export const STOP_MS = 29_500

/** Stops the server and returns the exit code: 1 where it has not stopped after `stopMs`. */
export async function stopInTime(
  server: { stop(): Promise<void> },
  logger: Pick<Logger, 'error'>,
  stopMs = STOP_MS,
): Promise<0 | 1> {
  const stopped = server.stop().then(() => true)
  if (await limitTime(stopped, stopMs, false)) return 0
  logger.error('the service did not stop in time')
  return 1
}
