import { type Kysely, sql } from 'kysely'
import type { Migrations } from './steps.ts'

const CALL_BYTES = ['input', 'output', 'error'].map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')

export const FROM_0014: Migrations = {
  /** The networks from which an account's password was given lately, each as a hash under the master key. */
  '0014-known-networks': [
    `create table known_networks (
      owner_id $text not null,
      network $text not null,
      seen_at $bigint not null,
      primary key (owner_id, network)
    ) $strict`,
    'create index known_networks_by_time on known_networks (seen_at)',
  ],
  /**
   * An execution holds its calls in its own row. Those of earlier releases stay in a table that is not written any more. On
   * PostgreSQL the id alone is the key: a second one was one more index on every write.
   */
  '0015-calls-in-row': [
    'alter table executions add column calls $text',
    { postgres: 'alter table executions drop constraint executions_pkey' },
    { postgres: 'alter table executions replica identity using index executions_execution_id_key' },
  ],
  /** One value, sealed under each master key that ever was the first of a ring, as a JSON list. */
  '0016-master-key-check': [
    'create table master_key_check (check_id $bigint primary key, sealed $text not null) $strict',
  ],
  /** An execution counts its calls that failed, so that a list finds those that have any. Few have: their index is small. */
  '0017-failed-calls': [
    'alter table executions add column failed_calls $bigint not null default 0',
    `update executions set failed_calls = (select count(*) from capability_calls
        where capability_calls.owner_id = executions.owner_id
          and capability_calls.execution_id = executions.execution_id and capability_calls.status = 'failed')
      where calls is null and call_count > 0 and status <> 'running'`,
    countInRows,
    `create index executions_by_failed_calls on executions (owner_id, started_at desc, execution_id desc)
      where failed_calls > 0`,
  ],
  /** Devices that wait for an owner's confirmation, found by hashes of their two codes. */
  '0018-device-logins': [
    `create table device_logins (
      device_hash $text primary key not null,
      user_hash $text not null unique,
      machine $text not null,
      network $text not null,
      status $text not null,
      owner_id $text,
      requested_at $bigint not null,
      expires_at $bigint not null,
      polled_at $bigint not null default 0
    ) $strict`,
    'create index device_logins_by_expiry on device_logins (expires_at)',
  ],
  /** The settings of each node that all nodes should share, as JSON: null for a server of an earlier release. */
  '0019-node-settings': ['alter table nodes add column settings $text'],
  /** Calls that an earlier release kept as rows of their own move into the rows of their executions. */
  '0020-earlier-calls': [
    {
      sqlite: moveCalls('json_quote(error)'),
      postgres: moveCalls("coalesce(to_json(error)::text, 'null')"),
    },
    `update owners set stored_bytes = stored_bytes + moved.bytes from (
        select owner_id, cast(sum(bytes) as bigint) as bytes from (
          select owner_id, octet_length(calls) as bytes from executions
            where status <> 'running' and execution_id in (select execution_id from capability_calls)
          union all select owner_id, -(${CALL_BYTES}) from capability_calls
            where execution_id not in (select execution_id from executions where status = 'running')
        ) as parts group by owner_id
      ) as moved where moved.owner_id = owners.owner_id`,
    'drop table capability_calls',
  ],
  /** Calls whose outcome is unknown are counted beside those that failed. Earlier releases counted them among these. */
  '0021-unknown-calls': [
    'alter table executions add column unknown_calls $bigint not null default 0',
    `create index executions_by_unknown_calls on executions (owner_id, started_at desc, execution_id desc)
      where unknown_calls > 0`,
    'alter table call_rollups add column unknown $bigint not null default 0',
  ],
  /** When the endpoint is next asked what became of an execution's unknown calls. */
  '0022-reconcile': [
    'alter table executions add column reconcile_at $bigint',
    'create index executions_to_reconcile on executions (owner_id, reconcile_at) where reconcile_at is not null',
  ],
  /** Keys under which callers repeat a call, each with the execution that ran first. Its row holds the answer. */
  '0023-idempotency-keys': [
    `create table idempotency_keys (
      key_hash $text primary key not null,
      owner_id $text not null,
      body_hash $text not null,
      execution_id $text not null,
      created_at $bigint not null
    ) $strict`,
    'create index idempotency_keys_by_owner on idempotency_keys (owner_id)',
    'create index idempotency_keys_by_time on idempotency_keys (created_at)',
  ],
  /** The address at which a node takes requests of other replicas: null for one that takes none. */
  '0024-node-urls': ['alter table nodes add column url $text'],
  /**
   * Calls that wait for a person. `executions.awaits_approval` is 1 where an execution ended for one: its `finish_reason` is
   * `stop` there, because the check of that column is older.
   */
  '0025-approvals': [
    `create table approvals (
      approval_id $text primary key not null,
      owner_id $text not null references owners (owner_id),
      runtime_id $text not null,
      execution_id $text not null,
      call_id $text not null,
      capability $text not null,
      effect $text not null,
      step $bigint not null,
      ordinal $bigint not null,
      deployment_version $bigint not null,
      endpoint $text not null,
      status $text not null check (status in ('pending', 'approved', 'declined', 'expired')),
      input $text not null,
      input_hash $text not null,
      metadata $text,
      preview $text not null,
      preview_hash $text not null,
      token_hash $text,
      proof $text not null,
      result $text,
      node_id $text,
      created_at $bigint not null,
      expires_at $bigint not null,
      decided_at $bigint
    ) $strict`,
    'create index approvals_by_owner on approvals (owner_id, created_at desc, approval_id desc)',
    'create index approvals_by_status on approvals (owner_id, status, created_at desc, approval_id desc)',
    'create index approvals_by_execution on approvals (owner_id, execution_id)',
    `create index approvals_due on approvals (expires_at) where status = 'pending'`,
    `create index approvals_under_way on approvals (decided_at) where status = 'approved' and result is null`,
    'alter table executions add column awaits_approval $bigint not null default 0',
  ],
}

const ROWS = 500

// Counted here: PostgreSQL refuses to look into JSON that holds an escaped NUL.
async function countInRows(db: Kysely<unknown>): Promise<void> {
  let after = ''
  for (;;) {
    const { rows } = await sql<{ execution_id: string; calls: string }>`select execution_id, calls from executions
      where execution_id > ${after} and status <> 'running' and calls like ${'%"status":"failed"%'}
      order by execution_id limit ${ROWS}`.execute(db)
    for (const { execution_id, calls } of rows) {
      const all: { status: string }[] = JSON.parse(`[${calls}]`)
      const failed = all.filter(({ status }) => status === 'failed').length
      await sql`update executions set failed_calls = ${failed} where execution_id = ${execution_id}`.execute(db)
    }
    const last = rows.at(-1)
    if (!last) return
    after = last.execution_id
  }
}

function moveCalls(error: string): string {
  const call = `'{"callId":"' || call_id || '","ordinal":' || ordinal || ',"capability":"' || capability || '","step":'
    || step || ',"startedAt":' || started_at || ',"status":"' || status || '","durationMs":'
    || coalesce(cast(duration_ms as text), 'null') || ',"error":' || ${error} || ',"input":' || input || ',"output":'
    || coalesce(output, 'null') || '}'`
  return `update executions set calls = (select string_agg(${call}, ',') from capability_calls
        where capability_calls.owner_id = executions.owner_id
          and capability_calls.execution_id = executions.execution_id)
      where calls is null and execution_id in (select execution_id from capability_calls)`
}
