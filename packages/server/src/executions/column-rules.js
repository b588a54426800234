/** The columns of an execution's row that its begin sets. */
export const BEGUN_COLUMNS = /** @type {const} */ ([
  'owner_id',
  'execution_id',
  'runtime_id',
  'project_id',
  'deployment_version',
  'kind',
  'message_shape',
  'metadata',
  'call_count',
  'calls',
  'started_at',
])

/** Those that its end sets. */
export const ENDED_COLUMNS = /** @type {const} */ ([
  'status',
  'finish_reason',
  'error',
  'message_shape',
  'steps',
  'model_steps',
  'input_tokens',
  'output_tokens',
  'duration_ms',
  'call_count',
  'failed_calls',
  'unknown_calls',
  'calls',
  'completed_at',
])
