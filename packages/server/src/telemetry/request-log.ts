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
  /** Of the execution that it became, and of the trace that it belongs to, if any. */
  executionId: string | null
  traceId: string | null
  /** Whether its answer was not sent to its end. */
  isAborted: boolean
}

/** Where the line of each request goes. */
export type RequestLog = (line: RequestLine) => void

/** Writes them as a logger writes anything. */
export function requestLogOf(logger: Logger): RequestLog {
  return ({ requestId, method, route, status, durationMs, executionId, traceId, isAborted }) =>
    logger.info(
      {
        requestId,
        method,
        route,
        status,
        durationMs,
        ...(executionId !== null && { executionId }),
        ...(traceId !== null && { traceId }),
        ...(isAborted && { aborted: true }),
      },
      'request',
    )
}

/** The same line as text, put together by hand: a logger takes four times as long, and there is one for each request. */
export function requestLineText(level: number, line: RequestLine): string {
  const execution = line.executionId === null ? '' : `,"executionId":${JSON.stringify(line.executionId)}`
  const trace = line.traceId === null ? '' : `,"traceId":${JSON.stringify(line.traceId)}`
  const route = line.route === null ? 'null' : JSON.stringify(line.route)
  return `{"level":${level},"time":${line.endedAt},"requestId":${JSON.stringify(line.requestId)},"method":${JSON.stringify(
    line.method,
  )},"route":${route},"status":${line.status},"durationMs":${line.durationMs}${execution}${trace}${
    line.isAborted ? ',"aborted":true' : ''
  },"msg":"request"}\n`
}
