import type { Logger } from 'pino'

/** What the log says of a request: listed fields only, none of them anybody's words. */
export interface RequestLine {
  requestId: string
  method: string
  /** The pattern; null where none was found. */
  route: string | null
  status: number
  /** When it ended, milliseconds since the epoch, and how long it took. */
  endedAt: number
  durationMs: number
  /** Of the runtime that it reached, of the execution that it became, and of the trace that it belongs to, if any. */
  runtimeId: string | null
  executionId: string | null
  traceId: string | null
  /** Whether its answer was not sent to its end. */
  isAborted: boolean
}

/** Where the line of each request goes. */
export type RequestLog = (line: RequestLine) => void

/** Writes them as a logger writes anything. */
export function requestLogOf(logger: Logger): RequestLog {
  return (line) => logger.info(fieldsOf(line), 'request')
}

/** The same line as text: a logger takes several times as long, and there is one for each request. */
export function requestLineText(level: number, line: RequestLine): string {
  return `${JSON.stringify({ level, time: line.endedAt, ...fieldsOf(line), msg: 'request' })}\n`
}

// Undefined members are left out.
function fieldsOf(line: RequestLine) {
  const { requestId, method, route, status, durationMs } = line
  const runtimeId = line.runtimeId ?? undefined
  const executionId = line.executionId ?? undefined
  const traceId = line.traceId ?? undefined
  return {
    requestId,
    method,
    route,
    status,
    durationMs,
    runtimeId,
    executionId,
    traceId,
    aborted: line.isAborted || undefined,
  }
}
