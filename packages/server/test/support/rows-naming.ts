import { dumpTables, type Scene } from './scene.ts'

/** The rows of each table in which a text occurs. */
export async function rowsNaming({ database }: Pick<Scene, 'database'>, id: string): Promise<Record<string, string[]>> {
  const tables = await database.db.introspection.getTables()
  const dumps = (await dumpTables(database)).split('\n')
  const naming = tables.map(({ name }, index): [string, string[]] => {
    const rows: unknown[] = JSON.parse(dumps[index] ?? '[]')
    return [name, rows.map((row) => JSON.stringify(row)).filter((row) => row.includes(id))]
  })
  return Object.fromEntries(naming.filter(([, rows]) => rows.length > 0))
}
