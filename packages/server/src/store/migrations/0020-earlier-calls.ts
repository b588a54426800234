import type { ColumnTypes } from './column-types.ts'

/** Calls that an earlier release kept as rows of their own move into the rows of their executions. */
export function earlierCalls({ strict }: ColumnTypes): string[] {
  const error = strict === '' ? "coalesce(to_json(error)::text, 'null')" : 'json_quote(error)'
  const call = `'{"callId":"' || call_id || '","ordinal":' || ordinal || ',"capability":"' || capability || '","step":'
    || step || ',"startedAt":' || started_at || ',"status":"' || status || '","durationMs":'
    || coalesce(cast(duration_ms as text), 'null') || ',"error":' || ${error} || ',"input":' || input || ',"output":'
    || coalesce(output, 'null') || '}'`
  const bytes = ['input', 'output', 'error'].map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
  return [
    `update executions set calls = (select string_agg(${call}, ',') from capability_calls
        where capability_calls.owner_id = executions.owner_id
          and capability_calls.execution_id = executions.execution_id)
      where calls is null and execution_id in (select execution_id from capability_calls)`,
    `update owners set stored_bytes = stored_bytes + moved.bytes from (
        select owner_id, cast(sum(bytes) as bigint) as bytes from (
          select owner_id, octet_length(calls) as bytes from executions
            where status <> 'running' and execution_id in (select execution_id from capability_calls)
          union all select owner_id, -(${bytes}) from capability_calls
            where execution_id not in (select execution_id from executions where status = 'running')
        ) as parts group by owner_id
      ) as moved where moved.owner_id = owners.owner_id`,
    'drop table capability_calls',
  ]
}
