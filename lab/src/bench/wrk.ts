import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '@svc/testkit'
import { z } from 'zod'
import { PROCESSORS, temporaryFolder } from '../support/programs.ts'
import type { ScenarioContext } from '../support/scenario.ts'

/** One request that the load is made of; they are sent in turn. */
export interface LoadRequest {
  path: string
  headers: Readonly<Record<string, string>>
  /** JSON text of printable ASCII. */
  body: string
}

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

const Summary = z.object({
  requests: z.number(),
  microseconds: z.number(),
  refused: z.number(),
  broken: z.number(),
  p50: z.number(),
  p99: z.number(),
})

export interface Load {
  url: string
  requests: readonly [LoadRequest, ...LoadRequest[]]
  connections: number
}

/** A load of wrk on one thread, which may be run again and again. */
export function createLoad(context: Pick<ScenarioContext, 'env' | 'onEnd'>, { url, requests, connections }: Load) {
  const script = join(temporaryFolder(context), 'load.lua')
  writeFileSync(script, scriptOf(requests))
  return async (seconds: number): Promise<LoadResult> => {
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url]
    const end = await startProgram('taskset', ['-c', PROCESSORS.rest, 'wrk', ...options], { env: context.env }).ended
    const line = end.stdout.split('\n').find((text) => text.startsWith('{'))
    if (line === undefined) throw new Error(`wrk ended (${end.code ?? end.signal}): ${end.stderr}${end.stdout}`)
    const { microseconds, p50, p99, ...counts } = Summary.parse(JSON.parse(line))
    return { ...counts, seconds: microseconds / 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000 }
  }
}

// Requests are formatted once, so that the load costs little where it is made.
function scriptOf(requests: readonly LoadRequest[]): string {
  const formatted = requests.map(({ path, headers, body }) => {
    const pairs = Object.entries(headers).map(([name, value]) => `[${quoted(name)}]=${quoted(value)}`)
    return `  wrk.format("POST", ${quoted(path)}, {${pairs.join(', ')}}, ${quoted(body)}),`
  })
  return `local requests = {}
local at = 0
function init()
  requests = {
${formatted.join('\n')}
  }
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
}

// JSON's escapes are Lua's too, but for those beyond ASCII.
function quoted(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('wrk is given printable ASCII only')
  return JSON.stringify(text)
}
