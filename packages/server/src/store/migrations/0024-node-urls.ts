import type { ColumnTypes } from './column-types.ts'

/** Where each node takes requests of other replicas: null for one that takes none. */
export function nodeUrls({ text }: ColumnTypes): string[] {
  return [`alter table nodes add column url ${text}`]
}
