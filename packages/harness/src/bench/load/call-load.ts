import { Pool } from 'undici'
import type { Random } from '../../support/random.ts'

/** What a stretch of broker calls came to. */
export interface LoadResult {
  calls: number
  /** Answers other than 200, and requests without one. */
  failures: number
  /** What became of those, by status or by the client's error. */
  kinds: ReadonlyMap<string, number>
  /** Of each call that succeeded, milliseconds. */
  latenciesMs: number[]
  elapsedMs: number
}

/** Callers that wait for their answer before they ask again. */
export interface CallLoad {
  /** Calls for so long and counts; calls under way at the end are waited for and counted, with the time they took. */
  run(lengthMs: number): Promise<LoadResult>
  close(): Promise<void>
}

export interface CallLoadOptions {
  /** Of the replicas; caller `n` stays with replica `n mod replicas`. */
  urls: readonly string[]
  clients: number
  /** Capability paths, of which each call draws one. */
  paths: readonly [string, ...string[]]
  random: Random
}

const BODY = JSON.stringify({ input: { orderId: 'A-1042', note: 'where is it'.repeat(24) } })
const HEADERS = { 'content-type': 'application/json' }

/** Opens a connection for each caller. */
export function createCallLoad({ urls, clients, paths, random }: CallLoadOptions): CallLoad {
  const connections = Math.ceil(clients / urls.length)
  const pools = urls.map((url) => new Pool(url, { connections, pipelining: 1 }))
  const call = async (pool: Pool): Promise<string | null> => {
    try {
      const answer = await pool.request({ method: 'POST', path: random.pick(paths), headers: HEADERS, body: BODY })
      await answer.body.dump()
      return answer.statusCode === 200 ? null : String(answer.statusCode)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return {
    async run(lengthMs) {
      const kinds = new Map<string, number>()
      const result: LoadResult = { calls: 0, failures: 0, kinds, latenciesMs: [], elapsedMs: 0 }
      const begun = performance.now()
      const client = async (pool: Pool) => {
        for (let at = performance.now(); at - begun < lengthMs; ) {
          const fault = await call(pool)
          const now = performance.now()
          result.calls += 1
          if (fault === null) result.latenciesMs.push(now - at)
          else {
            result.failures += 1
            kinds.set(fault, (kinds.get(fault) ?? 0) + 1)
          }
          at = now
        }
      }
      await Promise.all(
        Array.from({ length: clients }, (_, index) => pools[index % pools.length]).map((pool) => pool && client(pool)),
      )
      result.elapsedMs = performance.now() - begun
      return result
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.destroy()))
    },
  }
}
