import type { Engine } from '../support/scenario.ts'
import { type HistoryPlan, SLOTS } from './history-plan.ts'

/** What the engines write differently. */
const DIALECTS = {
  postgres: {
    numbers: (count: number) => `generate_series(0::bigint, ${count - 1}) as numbers(n)`,
    id: (prefix: string) => `'${prefix}' || lpad(n::text, 26, '0')`,
  },
  sqlite: {
    numbers: (count: number) =>
      `(with recursive counted(n) as (select 0 union all select n + 1 from counted where n < ${count - 1})
        select n from counted) as numbers`,
    id: (prefix: string) => `'${prefix}' || printf('%026d', n)`,
  },
} satisfies Record<Engine, { numbers(count: number): string; id(prefix: string): string }>

export interface Fill {
  engine: Engine
  count: number
  plan: HistoryPlan
  /** When the newest execution started, epoch milliseconds. */
  endsAt: number
}

/** Tables that the other statements join with, and the owners that have no more than a row. */
export function preparing({ plan, endsAt }: Fill): string[] {
  const slots = plan.slots.map(
    (slot) => `(${slot.slot}, '${slot.ownerId}', '${slot.runtimeId}', '${slot.projectId}', '${slot.capability}')`,
  )
  const durations = plan.durations.map((one) => `(${one.place}, ${one.durationMs}, ${one.span}, ${one.bucket})`)
  const owners = plan.smallOwnerIds.map(
    (ownerId) => `('${ownerId}', '${ownerId}@example.com', 'enterprise', ${endsAt - plan.lengthMs})`,
  )
  return [
    'create table filled_slots (slot integer primary key, owner_id text, runtime_id text, project_id text, capability text)',
    'create table filled_durations (place integer primary key, duration_ms integer, span integer, bucket integer)',
    `insert into filled_slots values ${slots.join(', ')}`,
    `insert into filled_durations values ${durations.join(', ')}`,
    `insert into owners (owner_id, email, tier, created_at) values ${owners.join(', ')}`,
  ]
}

export const CLEARING = ['drop table filled_slots', 'drop table filled_durations']

const SHAPE = '[{"role":"user","parts":[{"type":"text"}]},{"role":"assistant","parts":[{"type":"text"}]}]'

/** Rows of executions with one call each, evenly over the time; 2 % failed, three of five through the broker. */
export function executionRows(fill: Fill): string {
  const { id } = DIALECTS[fill.engine]
  return `insert into executions (owner_id, execution_id, runtime_id, project_id, deployment_version, kind, status,
      finish_reason, error, message_shape, steps, input_tokens, output_tokens, total_tokens, duration_ms, metadata,
      call_count, failed_calls, calls, started_at, completed_at, node_id)
    select owner_id, ${id('exec_')}, runtime_id, project_id, 1,
      case when is_broker = 1 then 'broker' else 'execute' end,
      case when is_failed = 1 then 'failed' else 'completed' end,
      case when is_failed = 1 then 'error' else 'stop' end,
      case when is_failed = 1 then '${FAILURE}' end,
      case when is_broker = 1 then '[]' else '${SHAPE}' end,
      1 - is_broker, (1 - is_broker) * 812, (1 - is_broker) * 164, (1 - is_broker) * 976, duration_ms,
      case when is_broker = 1 then null else '{"page":"/orders","locale":"en"}' end, 1, is_failed,
      ${callText(fill)}, started_at, started_at + duration_ms, 'node-filled'
    from ${planned(fill)}`
}

const FAILURE = 'The capability answered with status 503.'

// The text of one call, as the server keeps it in the row.
function callText({ engine, plan: { payloadBytes } }: Fill): string {
  const id = DIALECTS[engine].id('call_')
  const output = payload('{"state":"shipped","order":"', payloadBytes.output)
  return `'{"callId":"' || ${id} || '","ordinal":0,"capability":"' || capability || '","step":0,"startedAt":' || started_at
    || ',"durationMs":' || duration_ms || ',"input":' || ${payload('{"orderId":"', payloadBytes.input)}
    || case when is_failed = 1 then ',"status":"failed","output":null,"error":"${FAILURE}"}'
       else ',"status":"completed","error":null,"output":' || ${output} || '}' end`
}

// Text that differs from row to row and is no longer than this.
function payload(beginning: string, bytes: number): string {
  const filler = 'the blue one, in the second size, if it is still there; '.repeat(Math.ceil(bytes / 56))
  const rest = Math.max(0, bytes - beginning.length - 24)
  return `'${beginning}' || n || '","note":"${filler.slice(0, rest)}"}'`
}

// Multipliers that have no divisor in common with the moduli, so that the parts of a row do not follow each other. Cross
// joins: SQLite keeps their order, and would otherwise go through all numbers for each slot.
function planned({ engine, count, plan, endsAt }: Fill): string {
  const beginsAt = endsAt - plan.lengthMs
  return `(select n, s.owner_id, s.runtime_id, s.project_id, s.capability, d.duration_ms,
        case when n % 5 < 3 then 1 else 0 end as is_broker,
        case when (n + n / ${SLOTS} * 31) % 50 = 7 then 1 else 0 end as is_failed,
        ${beginsAt} + n * ${plan.lengthMs} / ${count} as started_at
      from ${DIALECTS[engine].numbers(count)}
      cross join filled_slots s cross join filled_durations d
      where s.slot = (n * 7919) % ${SLOTS}
        and d.place = (n * 37 + n / ${SLOTS} * 11) % ${plan.durations.length}) as planned`
}

const PLACE = 'owner_id, runtime_id, project_id, span'
const BUCKETS = Array.from({ length: 16 }, (_, index) => `b${index}`)
const COUNTERS = [
  'executions',
  'completed',
  'failed',
  'anonymous',
  'capability_calls',
  'input_tokens',
  'output_tokens',
  'duration_ms',
]

/** Roll-ups of what was filled, in the order in which they build on each other. */
export const ROLL_UPS = [
  `insert into execution_rollups (${PLACE}, grain, at, ${[...COUNTERS, ...BUCKETS].join(', ')})
    select ${PLACE}, 'hour', started_at - started_at % 3600000, count(*),
      sum(case when status = 'completed' then 1 else 0 end), sum(case when status = 'failed' then 1 else 0 end),
      sum(case when kind = 'broker' then 1 else 0 end), sum(call_count), sum(input_tokens), sum(output_tokens),
      sum(e.duration_ms), ${BUCKETS.map((_, index) => `sum(case when bucket = ${index} then 1 else 0 end)`).join(', ')}
    from executions e cross join filled_durations d
    where d.duration_ms = e.duration_ms group by ${PLACE}, started_at - started_at % 3600000`,
  `insert into execution_rollups (${PLACE}, grain, at, ${[...COUNTERS, ...BUCKETS].join(', ')})
    select ${PLACE}, 'day', at - at % 86400000, ${[...COUNTERS, ...BUCKETS].map((name) => `sum(${name})`).join(', ')}
    from execution_rollups where grain = 'hour' group by ${PLACE}, at - at % 86400000`,
  `insert into call_rollups (${PLACE}, grain, at, capability, calls, failed, ${BUCKETS.join(', ')})
    select r.owner_id, r.runtime_id, r.project_id, r.span, r.grain, r.at, s.capability, r.capability_calls, r.failed,
      ${BUCKETS.map((name) => `r.${name}`).join(', ')}
    from execution_rollups r
    cross join (select distinct runtime_id, capability from filled_slots) s where s.runtime_id = r.runtime_id`,
]
