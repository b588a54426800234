import type { ColumnTypes } from './column-types.ts'

const COUNTERS =
  'executions, completed, failed, anonymous, capability_calls, input_tokens, output_tokens, duration_ms'.split(', ')

/** Usage is counted by day as well as by hour, by project, and with its durations; what was counted before has none. */
export function rollups({ text, bigint, strict }: ColumnTypes): string[] {
  const place = `owner_id ${text} not null,
      grain ${text} not null check (grain in ('hour', 'day')),
      at ${bigint} not null,
      runtime_id ${text} not null,
      project_id ${text} not null,
      span integer not null`
  const buckets = Array.from({ length: 16 }, (_, index) => `b${index} integer not null default 0`).join(', ')
  return [
    `create table execution_rollups (
      ${place},
      ${COUNTERS.map((counter) => `${counter} ${bigint} not null default 0`).join(', ')},
      ${buckets},
      primary key (owner_id, grain, at, span, runtime_id, project_id)
    ) ${strict}`,
    `create table call_rollups (
      ${place},
      capability ${text} not null,
      calls ${bigint} not null default 0,
      failed ${bigint} not null default 0,
      ${buckets},
      primary key (owner_id, grain, at, capability, span, runtime_id, project_id)
    ) ${strict}`,
    counted('hour', 'hour'),
    counted('day', 'hour - hour % 86400000'),
    'drop table usage_hours',
  ]
}

function counted(grain: 'hour' | 'day', start: string): string {
  const sums = COUNTERS.map((counter) => `sum(${counter})`).join(', ')
  return `insert into execution_rollups (owner_id, grain, at, runtime_id, project_id, span, ${COUNTERS.join(', ')})
    select owner_id, '${grain}', ${start}, runtime_id, project_id, 0, ${sums}
    from usage_hours group by owner_id, ${start}, runtime_id, project_id`
}
