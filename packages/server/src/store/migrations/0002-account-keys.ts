import type { ColumnTypes } from './column-types.ts'

/** Account keys get a name, and are listed newest first. */
export function accountKeys({ text }: ColumnTypes): string[] {
  return [
    `alter table credentials add column name ${text}`,
    // Until now, an operator's command was the one way to an account key.
    "update credentials set name = 'create-owner' where kind = 'account'",
    'create index credentials_by_age on credentials (owner_id, kind, created_at desc, credential_id desc)',
  ]
}
