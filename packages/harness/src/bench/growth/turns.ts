import { Pool } from 'undici'
import { median, quantile } from '../../support/statistics.ts'
import type { GrowthCase } from './reads.ts'

/** Percentiles of one kind of request on one history, milliseconds. */
export interface Times {
  p50Ms: number
  p99Ms: number
}

/** One history, asked over one connection. */
export interface Asker {
  /** Asks and returns how long it took, milliseconds, and the answer. Throws an answer other than 200. */
  ask(request: GrowthCase): Promise<{ ms: number; text: string }>
  close(): Promise<void>
}

const BLOCKS = 5
const WARM_UP = 20
const BODY = JSON.stringify({ input: { orderId: 'A-1042', note: 'where is it'.repeat(24) } })

export function createAsker(url: string, apiKey: string): Asker {
  const pool = new Pool(url, { connections: 1, pipelining: 1 })
  let turn = 0
  return {
    async ask({ method, paths, mark }) {
      turn += 1
      const path = paths[turn % paths.length] ?? paths[0]
      const isCall = method === 'POST'
      const begun = performance.now()
      const answer = await pool.request({
        method,
        path,
        headers: isCall ? { 'content-type': 'application/json' } : { authorization: `Bearer ${apiKey}` },
        ...(isCall && { body: BODY }),
      })
      const text = await answer.body.text()
      const ms = performance.now() - begun
      if (answer.statusCode !== 200 || !text.includes(mark)) {
        throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`)
      }
      return { ms, text }
    },
    close: () => pool.destroy(),
  }
}

export type Ask = () => Promise<number>

/**
 * Times each of the things in turn, block by block, so that what disturbs the machine disturbs all of them alike. A
 * percentile is the median of the blocks'.
 */
export async function timeInTurns(things: readonly Ask[], samples: number): Promise<Times[]> {
  const perBlock = Math.max(1, Math.ceil(samples / BLOCKS))
  await timeBlock(things, Math.min(WARM_UP, perBlock))
  const blocks: number[][][] = []
  for (let block = 0; block < BLOCKS; block += 1) blocks.push(await timeBlock(things, perBlock))
  return things.map((_, index) => {
    const times = blocks.map((block) => block[index] ?? [])
    return {
      p50Ms: median(times.map((block) => quantile(block, 0.5))),
      p99Ms: median(times.map((block) => quantile(block, 0.99))),
    }
  })
}

async function timeBlock(things: readonly Ask[], samples: number): Promise<number[][]> {
  const taken = things.map((): number[] => [])
  const order = [...things.entries()]
  for (let turn = 0; turn < samples; turn += 1) {
    for (const [index, thing] of order.reverse()) taken[index]?.push(await thing())
  }
  return taken
}
