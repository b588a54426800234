/** The columns that an admission writes. */
export const ADMISSION_COLUMNS = /** @type {const} */ ([
  'owner_id',
  'execution_id',
  'runtime_id',
  'project_id',
  'deployment_version',
  'kind',
  'surface',
  'message_shape',
  'metadata',
  'call_count',
  'calls',
  'started_at',
])

/** The columns that a settlement writes. */
export const SETTLEMENT_COLUMNS = /** @type {const} */ ([
  'status',
  'finish_reason',
  'awaits_approval',
  'error',
  'message_shape',
  'steps',
  'model_steps',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'duration_ms',
  'call_count',
  'failed_calls',
  'unknown_calls',
  'calls',
  'completed_at',
])

/** The most executions of one account that wait for a reconcile request. Those past it get none. */
const RECONCILED_EXECUTIONS = 1_000

/** The SQL of `reconcile_at` at the end of an execution. `given` is the SQL of when the first reconcile request is due. */
export const reconcileAt = (/** @type {string} */ given) => `case when ${given} is null then null
  when (select count(*) from executions as waiting where waiting.owner_id = executions.owner_id
    and waiting.reconcile_at is not null) >= ${RECONCILED_EXECUTIONS} then null else ${given} end`
