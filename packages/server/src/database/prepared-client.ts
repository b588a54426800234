import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { isConnectionFault } from './errors.ts'
import { JsonRows } from './row-statement.ts'

/**
 * A connection on which statements for rows are planned once and run by name from then on: their text never changes, and
 * to plan one costs PostgreSQL more than to run it. All other statements are sent as they are.
 */
export class PreparedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  #isLost = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(asked: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof asked !== 'string') throw new Error('Answers are read whole here: the dialect is given no cursor.')
    const values = [...parameters]
    const answer = this.#client.query(
      values[0] instanceof JsonRows ? { name: nameOf(asked), text: asked, values } : { text: asked, values },
    )
    answer.catch((error: unknown) => {
      this.#isLost ||= isConnectionFault(error)
    })
    return answer
  }

  release(): void {
    // The library learns of a lost connection later than whoever waited for it, and would give it to the next one.
    this.#client.release(this.#isLost)
  }
}

const names = new Map<string, string>()

// The same on every connection of the process: the library refuses a second text under one name.
function nameOf(text: string): string {
  const name = names.get(text) ?? `svc_${names.size + 1}`
  names.set(text, name)
  return name
}
