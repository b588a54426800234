import type { Insertable } from 'kysely'
import type { Schema } from '../../src/store/schema.ts'

export function executionRow(
  changes: Partial<Insertable<Schema['executions']>> = {},
): Insertable<Schema['executions']> {
  return {
    owner_id: 'owner_1',
    execution_id: 'exec_1',
    runtime_id: 'rt_1',
    project_id: 'proj_1',
    kind: 'execute',
    status: 'running',
    message_shape: '[]',
    started_at: 1_700_000_000_000,
    node_id: 'node_1',
    ...changes,
  }
}

export function credentialRow(
  changes: Partial<Insertable<Schema['credentials']>> = {},
): Insertable<Schema['credentials']> {
  return {
    owner_id: 'owner_1',
    credential_id: 'cred_1',
    kind: 'account',
    hash: 'hash_1',
    prefix: 'svc_ak_abcd…wxyz',
    created_at: 1_700_000_000_000,
    ...changes,
  }
}

export function usageRow(
  changes: Partial<Insertable<Schema['execution_rollups']>> = {},
): Insertable<Schema['execution_rollups']> {
  return {
    owner_id: 'owner_1',
    grain: 'hour',
    at: 1_699_999_200_000,
    runtime_id: 'rt_1',
    project_id: 'proj_1',
    span: 0,
    ...changes,
  }
}
