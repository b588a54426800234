import { createHash } from 'node:crypto'
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { isAftermath, isConnectionFault, isNameUnknown, isUnanswered } from './errors.ts'

/** Whether statements are named, for all connections of a pool. */
interface Naming {
  isOn: boolean
}

/**
 * A connection on which statements of {@link prepared} are planned once and run by name from then on: to plan one costs
 * PostgreSQL more than to run it. All other statements are sent as they are. Behind a pooler that does
 * not know names, the first that is lost ends the naming; its transaction, which wrote nothing, is run again.
 */
export class PreparedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #naming: Naming
  readonly #onUnanswered: () => void
  #isLost = false
  /** The first of the transaction for which it is lent: what was sent after it, unheard, fails because of it. */
  #fault: unknown

  constructor(client: pg.PoolClient, naming: Naming, onUnanswered: () => void) {
    this.#client = client
    this.#naming = naming
    this.#onUnanswered = onUnanswered
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(asked: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') throw new Error('Answers are read whole here: the dialect is given no cursor.')
    const values = [...parameters]
    const name = this.#naming.isOn ? names.get(asked) : undefined
    return this.#client
      .query(name === undefined ? { text: asked, values } : { name, text: asked, values })
      .catch((error: unknown) => {
        this.#isLost ||= isConnectionFault(error)
        if (isUnanswered(error)) this.#onUnanswered()
        if (isNameUnknown(error)) this.#naming.isOn = false
        this.#fault ??= error
        throw isAftermath(error) ? this.#fault : error
      })
  }

  release(): void {
    // The library learns of a lost connection later than whoever waited for it, and would give it to the next one.
    this.#client.release(this.#isLost)
  }
}

const names = new Map<string, string>()

/** A statement that is run by name. The name is made of the text: it is the same for every process behind one pooler. */
export function prepared(text: string): string {
  names.set(text, `svc_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`)
  return text
}
