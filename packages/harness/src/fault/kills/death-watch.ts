import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Store } from '../../support/store.ts'

/** One killed server, and what became of what it ran. Times are epoch milliseconds. */
export interface Death {
  nodeId: string
  /** When it was killed, or when its successor on the same store was started. */
  since: number
  /** Executions that it ran when it died. */
  hits: number
  /** When none of its executions was `running` any more; null until then. */
  clearedAt: number | null
}

/** Watches how long the executions of killed servers stay `running`. */
export interface DeathWatch {
  readonly deaths: readonly Death[]
  /** Notes a death and counts what it hit. Nobody may have had time to clear it up. */
  add(nodeId: string, at: number): Promise<Death>
  /** Looks until every death is cleared, or `maxMs` are over. */
  settle(maxMs: number): Promise<void>
  /** Looks once. */
  look(): Promise<void>
}

const Running = z.object({ node_id: z.string(), count: z.number() })
const POLL_MS = 200

export function createDeathWatch(store: Pick<Store, 'query'>, now: () => number): DeathWatch {
  const deaths: Death[] = []
  const running = async () => {
    const rows = await store.query(
      "select node_id, count(*) as count from executions where status = 'running' group by node_id",
    )
    return new Map(rows.map((row) => Running.parse(row)).map(({ node_id, count }) => [node_id, count]))
  }
  const look = async () => {
    const counts = await running()
    for (const death of deaths) if (!counts.has(death.nodeId)) death.clearedAt ??= now()
  }
  return {
    deaths,
    look,
    async add(nodeId, since) {
      const hits = (await running()).get(nodeId) ?? 0
      const death: Death = { nodeId, since, hits, clearedAt: null }
      deaths.push(death)
      return death
    },
    async settle(maxMs) {
      const until = now() + maxMs
      for (;;) {
        await look()
        if (deaths.every(({ clearedAt }) => clearedAt !== null) || now() >= until) return
        await pause(POLL_MS)
      }
    },
  }
}

/** The longest time from a death to the end of its last execution; infinite where one never ended. */
export function longestClearing(deaths: readonly Death[]): number {
  return Math.max(0, ...deaths.map(({ since, clearedAt }) => (clearedAt ?? Number.POSITIVE_INFINITY) - since))
}

/** The share of deaths that hit running executions. */
export function shareOfHits(deaths: readonly Death[]): number {
  return deaths.filter(({ hits }) => hits > 0).length / deaths.length
}
