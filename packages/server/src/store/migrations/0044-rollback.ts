import type { ColumnTypes } from './column-types.ts'

/**
 * Where a deployment is called, so that a rollback goes back there; what the stable deployment served before the share of a
 * candidate was set; and the share under which a call was asked to be approved.
 */
export function rollback({ text, bigint }: ColumnTypes): string[] {
  const serving = `from runtimes where runtimes.owner_id = deployments.owner_id
    and runtimes.runtime_id = deployments.runtime_id and runtimes.serving_version = deployments.version`
  return [
    `alter table deployments add column endpoint ${text}`,
    `update deployments set endpoint = (select runtimes.endpoint ${serving}) where exists (select 1 ${serving})`,
    `alter table candidates add column earlier_executions ${bigint} not null default 0`,
    `alter table candidates add column earlier_bad ${bigint} not null default 0`,
    `alter table approvals add column share ${bigint}`,
  ]
}
