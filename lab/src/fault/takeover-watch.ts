import type { Store } from '../support/store.ts'
import { until } from '../support/within.ts'

/** One killed server, and the time at which its executions had ended. Epoch milliseconds. */
export interface Death {
  nodeId: string
  since: number
  /** Executions that it ran when it died. */
  hits: number
  /** When none of its executions was `running` any more; null until then. */
  clearedAt: number | null
}

/** Watches how long the executions of killed servers stay `running`. */
export class TakeoverWatch {
  readonly deaths: Death[] = []
  readonly #store: Pick<Store, 'query'>

  constructor(store: Pick<Store, 'query'>) {
    this.#store = store
  }

  async #running(): Promise<ReadonlyMap<unknown, number>> {
    const sql = "select node_id, count(*) as count from executions where status = 'running' group by node_id"
    const rows = await this.#store.query(sql)
    return new Map(rows.map((row) => [row['node_id'], Number(row['count'])]))
  }

  async add({ nodeId }: { nodeId: string }): Promise<Death> {
    const death: Death = { nodeId, since: Date.now(), hits: (await this.#running()).get(nodeId) ?? 0, clearedAt: null }
    this.deaths.push(death)
    return death
  }

  /** Looks until every death is cleared, or `maxMs` are over. */
  async settle(maxMs: number): Promise<void> {
    const look = async () => {
      const counts = await this.#running()
      for (const death of this.deaths) if (!counts.has(death.nodeId)) death.clearedAt ??= Date.now()
      return this.deaths.every(({ clearedAt }) => clearedAt !== null)
    }
    await until(look, maxMs, 200)
  }

  /** The longest time from a death to the end of its last execution; infinite where one never ended. */
  longestMs(): number {
    return Math.max(0, ...this.deaths.map(({ since, clearedAt }) => (clearedAt ?? Number.POSITIVE_INFINITY) - since))
  }

  shareOfHits(): number {
    return this.deaths.filter(({ hits }) => hits > 0).length / this.deaths.length
  }
}
