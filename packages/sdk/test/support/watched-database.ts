import type { SqlDatabase } from '@svc/sdk'

/** The same database, telling of each statement before it runs. */
export function watched(
  database: SqlDatabase,
  statements: string[],
  before: (sql: string) => void = () => {},
): SqlDatabase {
  const note = (sql: string) => {
    statements.push(sql)
    before(sql)
  }
  if ('prepare' in database) {
    return {
      prepare: (sql) => {
        const statement = database.prepare(sql)
        return {
          all: (...values) => {
            note(sql)
            return statement.all(...values)
          },
        }
      },
    }
  }
  return {
    query: async (sql, values) => {
      note(sql)
      return database.query(sql, values)
    },
  }
}
