import type { ProgramEnd } from '@svc/testkit'
import type { ExecutionRow } from '../rows.ts'
import type { HeardExecution } from '../streams.ts'

/** What a caller heard, and the tag that its execution is stored with. */
export interface StoppedStream extends HeardExecution {
  tag: string
}

/** One stop of a server under streams. */
export interface Stop {
  /** Whether a second signal followed, of somebody who will not wait. */
  isImpatient: boolean
  /** From the last signal to the end of the process. */
  exitMs: number
  end: Pick<ProgramEnd, 'code' | 'signal'>
  streams: readonly StoppedStream[]
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
  const begun = patient.flatMap(({ streams }) => streams.filter(hasBegun))
  return {
    begun: begun.length,
    withoutDone: begun.filter(lacksDone).length,
    untrue: stops.reduce((sum, stop) => sum + untrueIn(stop), 0),
    interrupted: begun.filter(({ told }) => told?.error?.message === INTERRUPTED).length,
    slowExits: stops.filter((stop) => stop.exitMs > (stop.isImpatient ? IMPATIENT_EXIT_MS : PATIENT_EXIT_MS)).length,
    wrongExits: stops.filter(({ isImpatient, end }) => end.code !== (isImpatient ? 1 : 0) || end.signal !== null)
      .length,
    running: stops.reduce((sum, { stillRunning }) => sum + stillRunning, 0),
  }
}

const INTERRUPTED = 'The service was restarted while the execution ran.'

/** One stop of a server under streams whose database was away. */
export interface AwayStop extends Pick<Stop, 'exitMs' | 'end' | 'streams' | 'rows' | 'stillRunning'> {
  /** Executions whose commit the database never answered: of these nothing can be told. */
  unansweredCommits: ReadonlySet<string>
}

export interface AwayFindings extends Omit<ShutdownFindings, 'interrupted'> {
  /** Streams that were told that their outcome could not be recorded. */
  unrecorded: number
  /** Streams that ended without a word, as those may whose commit was never answered. */
  inDoubt: number
}

/** As for other stops, but that the process may say by its exit code that it could not close everything. */
export function judgeAwayStops(stops: readonly AwayStop[]): AwayFindings {
  const count = (countIn: (stop: AwayStop) => number) => stops.reduce((sum, stop) => sum + countIn(stop), 0)
  return {
    begun: count(({ streams }) => streams.filter(hasBegun).length),
    unrecorded: count(({ streams }) => streams.filter(({ told }) => told?.error?.message === UNRECORDED).length),
    inDoubt: count((stop) => stop.streams.filter((stream) => isInDoubt(stop, stream)).length),
    withoutDone: count(
      (stop) =>
        stop.streams.filter((stream) => hasBegun(stream) && lacksDone(stream) && !isInDoubt(stop, stream)).length,
    ),
    untrue: count(untrueIn),
    slowExits: stops.filter(({ exitMs }) => exitMs > PATIENT_EXIT_MS).length,
    wrongExits: stops.filter(({ end }) => end.signal !== null || (end.code !== 0 && end.code !== 1)).length,
    running: count(({ stillRunning }) => stillRunning),
  }
}

const UNRECORDED = 'The outcome of the execution could not be recorded.'

function hasBegun({ status }: HeardExecution): boolean {
  return status === 200
}

function lacksDone({ told, hasMore, brokenBy }: HeardExecution): boolean {
  return told === null || hasMore || brokenBy !== null
}

/** The caller of such a stream never learned its execution's id: the row that carries the same tag tells. */
function isInDoubt({ rows, unansweredCommits }: AwayStop, { tag, told, hasMore }: StoppedStream): boolean {
  if (told !== null || hasMore) return false
  return rows.some((row) => row.tag === tag && unansweredCommits.has(row.executionId))
}

function untrueIn({ streams, rows }: Pick<Stop, 'streams' | 'rows'>): number {
  const stored = new Map(rows.map((row) => [row.executionId, row]))
  return streams.filter(({ told }) => told !== null && stored.get(told.executionId)?.status !== told.status).length
}
