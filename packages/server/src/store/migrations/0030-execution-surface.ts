import type { ColumnTypes } from './column-types.ts'

/** The protocol that an execution came by; null where that is the API's own, and in older rows. */
export function executionSurface({ text }: ColumnTypes): string[] {
  return [`alter table executions add column surface ${text}`]
}
