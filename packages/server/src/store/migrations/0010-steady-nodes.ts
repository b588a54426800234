import type { ColumnTypes } from './column-types.ts'

/** Since when leases have been renewed without a gap, as each node knows it: null for a server of an earlier release. */
export function steadyNodes({ bigint }: ColumnTypes): string[] {
  return [`alter table nodes add column steady_since ${bigint}`]
}
