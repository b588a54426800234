import type { ColumnTypes } from './column-types.ts'

/** One value, sealed under each master key that ever was the first of a ring, as a JSON list. */
export function masterKeyCheck({ text, bigint, strict }: ColumnTypes): string[] {
  return [`create table master_key_check (check_id ${bigint} primary key, sealed ${text} not null) ${strict}`]
}
