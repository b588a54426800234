import type { ColumnTypes } from './column-types.ts'

/** The networks from which an account's password was given lately, each as a hash under the master key. */
export function knownNetworks({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    `create table known_networks (
      owner_id ${text} not null,
      network ${text} not null,
      seen_at ${bigint} not null,
      primary key (owner_id, network)
    ) ${strict}`,
    'create index known_networks_by_time on known_networks (seen_at)',
  ]
}
