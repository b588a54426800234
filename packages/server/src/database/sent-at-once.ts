import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely'
import type { Schema } from './schema.ts'

const connections = new WeakMap<Kysely<Schema>, DatabaseConnection>()

/**
 * Has {@link send} send the statements of a transaction as they come. Kysely sends each after the answer to the one before,
 * which costs a round trip for each of them: between threads on SQLite, to another machine on PostgreSQL.
 */
export async function sendAtOnce(tx: Kysely<Schema>): Promise<void> {
  connections.set(tx, await tx.getExecutor().provideConnection(async (connection) => connection))
}

/** Sends a statement right away, in the order of the calls; the answer comes when it comes. */
export function send<Row>(db: Kysely<Schema>, query: CompiledQuery): Promise<QueryResult<Row>> {
  return connections.get(db)?.executeQuery<Row>(query) ?? db.executeQuery<Row>(query as CompiledQuery<Row>)
}
