import { type DeleteResult, type InsertResult, type Selectable, type SqlBool, sql, type UpdateResult } from 'kysely'
import type { Schema } from './schema.ts'

/** The condition that a row of a table has these values, for `where`. Throws where it would have none. */
export function matching<Table extends keyof Schema>(table: Table, values: Partial<Selectable<Schema[Table]>>) {
  const entries = Object.entries(values)
  if (entries.length === 0) throw new TypeError(`a condition on ${table} without a value`)
  const conditions = entries.map(([name, value]) => {
    const column = sql.ref(`${table}.${name}`)
    return value === null ? sql`${column} is null` : sql`${column} = ${value}`
  })
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

/** The first row of a query, or null. */
export async function firstRow<Row>(query: { executeTakeFirst(): Promise<Row | undefined> }): Promise<Row | null> {
  return (await query.executeTakeFirst()) ?? null
}

/** Whether a statement has inserted, changed or deleted a row. */
export async function hasEffect(statement: {
  executeTakeFirst(): Promise<InsertResult | UpdateResult | DeleteResult>
}): Promise<boolean> {
  const result = await statement.executeTakeFirst()
  if ('numDeletedRows' in result) return result.numDeletedRows > 0n
  return 'numUpdatedRows' in result ? result.numUpdatedRows > 0n : (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}
