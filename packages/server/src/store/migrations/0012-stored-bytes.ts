import type { ColumnTypes } from './column-types.ts'

const PAYLOADS = {
  executions: ['message_shape', 'metadata', 'model_steps', 'error'],
  capability_calls: ['input', 'output', 'error'],
  deployments: ['manifest'],
}

/** How many bytes an account has stored, and when an execution last named a deployment. What is there is counted once. */
export function storedBytes({ bigint }: ColumnTypes): string[] {
  return [
    `alter table owners add column stored_bytes ${bigint} not null default 0`,
    `alter table deployments add column last_used_at ${bigint}`,
    `update deployments set last_used_at = used.at from (
      select owner_id, runtime_id, deployment_version, max(started_at) as at
      from executions where deployment_version is not null group by owner_id, runtime_id, deployment_version
    ) as used where used.owner_id = deployments.owner_id and used.runtime_id = deployments.runtime_id
      and used.deployment_version = deployments.version`,
    ...Object.entries(PAYLOADS).map(
      ([table, columns]) => `update owners set stored_bytes = stored_bytes + counted.bytes from (
        select owner_id, sum(${columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')}) as bytes from ${table} group by owner_id
      ) as counted where counted.owner_id = owners.owner_id`,
    ),
  ]
}
