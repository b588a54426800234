import type { ColumnTypes } from './column-types.ts'

/** The settings of each node that all nodes should share, as JSON: null for a server of an earlier release. */
export function nodeSettings({ text }: ColumnTypes): string[] {
  return [`alter table nodes add column settings ${text}`]
}
