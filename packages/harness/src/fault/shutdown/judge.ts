import type { ProgramEnd } from '@svc/testkit'
import type { ExecutionRow } from '../rows.ts'
import type { HeardExecution } from '../streams.ts'

/** One stop of a server under streams. */
export interface Stop {
  /** Whether a second signal followed, of somebody who will not wait. */
  isImpatient: boolean
  /** From the last signal to the end of the process. */
  exitMs: number
  end: Pick<ProgramEnd, 'code' | 'signal'>
  streams: readonly HeardExecution[]
  /** The executions of this server, as they were stored once it had ended; of an impatient stop, once the next one had swept. */
  rows: readonly ExecutionRow[]
  stillRunning: number
}

export interface ShutdownFindings {
  begun: number
  /** Streams whose head was sent, and that did not end in `done`. */
  withoutDone: number
  untrue: number
  /** Executions that the stop itself ended, and said so. */
  interrupted: number
  slowExits: number
  wrongExits: number
  running: number
}

const PATIENT_EXIT_MS = 30_000
const IMPATIENT_EXIT_MS = 1_000

/** Counts what went against the promises, over all stops. Streams that an impatient stop cut need no `done`. */
export function judgeStops(stops: readonly Stop[]): ShutdownFindings {
  const patient = stops.filter(({ isImpatient }) => !isImpatient)
  const begun = patient.flatMap(({ streams }) => streams.filter(({ status }) => status === 200))
  return {
    begun: begun.length,
    withoutDone: begun.filter(({ told, hasMore, brokenBy }) => told === null || hasMore || brokenBy !== null).length,
    untrue: stops.reduce((sum, stop) => sum + untrueIn(stop), 0),
    interrupted: begun.filter(({ told }) => told?.error?.message === INTERRUPTED).length,
    slowExits: stops.filter((stop) => stop.exitMs > (stop.isImpatient ? IMPATIENT_EXIT_MS : PATIENT_EXIT_MS)).length,
    wrongExits: stops.filter(({ isImpatient, end }) => end.code !== (isImpatient ? 1 : 0) || end.signal !== null)
      .length,
    running: stops.reduce((sum, { stillRunning }) => sum + stillRunning, 0),
  }
}

const INTERRUPTED = 'The service was restarted while the execution ran.'

function untrueIn({ streams, rows }: Stop): number {
  const stored = new Map(rows.map((row) => [row.executionId, row]))
  return streams.filter(({ told }) => told !== null && stored.get(told.executionId)?.status !== told.status).length
}
