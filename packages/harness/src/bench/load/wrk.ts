import { writeFileSync } from 'node:fs'
import { startProgram } from '@svc/testkit'
import { z } from 'zod'

/** One request that the load is made of; they are sent in turn. */
export interface LoadRequest {
  path: string
  headers: Readonly<Record<string, string>>
  /** JSON text of printable ASCII. */
  body: string
}

/** What came of one run of wrk. */
export interface LoadResult {
  requests: number
  seconds: number
  /** Answers of 400 and above. */
  refused: number
  /** Connections and answers that broke or timed out. */
  broken: number
  p50Ms: number
  p99Ms: number
}

export interface LoadRun {
  url: string
  /** A file of `writeScript`. */
  script: string
  connections: number
  seconds: number
  /** Processors for wrk, as taskset takes them. */
  processors: string
  env: NodeJS.ProcessEnv
}

const Summary = z.object({
  requests: z.number(),
  microseconds: z.number(),
  refused: z.number(),
  broken: z.number(),
  p50: z.number(),
  p99: z.number(),
})

/** Writes what wrk is to send. The requests are formatted once, so that the load costs little where it is made. */
export function writeScript(file: string, requests: readonly LoadRequest[]): void {
  const formatted = requests.map(
    ({ path, headers, body }) =>
      `  wrk.format("POST", ${quoted(path)}, {${Object.entries(headers)
        .map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)
        .join(', ')}}, ${quoted(body)}),`,
  )
  writeFileSync(file, `${HEAD}${formatted.join('\n')}\n${TAIL}`)
}

const HEAD = `local requests = {}
local at = 0
function init()
  requests = {
`

const TAIL = `  }
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`

// JSON's escapes are Lua's too, but for those beyond ASCII.
function quoted(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('wrk is given printable ASCII only')
  return JSON.stringify(text)
}

/** Runs wrk to its end on one thread. */
export async function runWrk({ url, script, connections, seconds, processors, env }: LoadRun): Promise<LoadResult> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url]
  const end = await startProgram('taskset', ['-c', processors, 'wrk', ...options], { env }).ended
  const line = end.stdout.split('\n').find((text) => text.startsWith('{'))
  if (line === undefined) throw new Error(`wrk ended (${end.code ?? end.signal}): ${end.stderr}${end.stdout}`)
  const { requests, microseconds, refused, broken, p50, p99 } = Summary.parse(JSON.parse(line))
  return { requests, seconds: microseconds / 1e6, refused, broken, p50Ms: p50 / 1000, p99Ms: p99 / 1000 }
}
