import type { ColumnTypes } from './column-types.ts'

/**
 * At most one candidate for each runtime, with what it and the stable deployment served since its share was set: `since` names
 * that share. `previous_version` is the deployment that was stable before.
 */
export function traffic({ text, bigint, strict }: ColumnTypes): string[] {
  return [
    'alter table runtimes add column previous_version integer',
    `update runtimes set previous_version = (
      select max(version) from deployments
      where deployments.owner_id = runtimes.owner_id and deployments.runtime_id = runtimes.runtime_id
        and version < serving_version)`,
    `create table candidates (
      runtime_id ${text} primary key not null references runtimes (runtime_id),
      owner_id ${text} not null,
      version integer not null,
      traffic integer not null check (traffic between 0 and 100),
      since ${bigint} not null,
      stable_counts ${text} not null,
      counts ${text} not null,
      tested_at ${bigint} not null default 0,
      frozen_reason ${text},
      frozen_at ${bigint}
    ) ${strict}`,
  ]
}
