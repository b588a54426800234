import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from '../lib/version.ts'
import { labelOfMethod, statusClass } from './labels.ts'
import type { Gauges, Metrics, PoolUse } from './metrics.ts'

/** Metrics that Prometheus reads as text. */
export interface PrometheusMetrics extends Metrics {
  readonly contentType: string
  text(): Promise<string>
}

/** In seconds: requests and calls take from a millisecond to the five minutes of a long execution. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const BATCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Begins to measure the process, and counts what it is told. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  tellBuild(register)
  let gauges: Gauges | undefined
  readGauges(register, () => gauges)
  return {
    ...countRequests(register),
    ...countWork(register),
    ...countDatabase(register),
    watch(watched) {
      gauges = watched
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  }
}

function countRequests(register: Registry): Pick<Metrics, 'requestEnded' | 'requestRefused' | 'admissionRefused'> {
  const registers = [register]
  const requests = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'HTTP requests, from their head to the end of their answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: CALL_SECONDS,
    registers,
  })
  const overload = new Counter({
    name: 'svc_overload_refusals_total',
    help: 'Requests refused before anything was done for them: too much was in flight, or the database was away.',
    labelNames: ['reason'] as const,
    registers,
  })
  const refused = new Counter({
    name: 'svc_admission_refusals_total',
    help: 'Requests that a rate limit or a quota kept out.',
    labelNames: ['limit'] as const,
    registers,
  })
  return {
    requestEnded({ method, route, status, durationMs }) {
      const labels = { method: labelOfMethod(method), route: route ?? 'none', status: statusClass(status) }
      requests.observe(labels, durationMs / 1000)
    },
    requestRefused: (reason) => overload.inc({ reason }),
    admissionRefused: (limit) => refused.inc({ limit }),
  }
}

function countWork(register: Registry): Pick<Metrics, 'executionEnded' | 'modelCallEnded' | 'callEnded'> {
  const registers = [register]
  const executions = new Histogram({
    name: 'svc_execution_duration_seconds',
    help: 'Executions that this process ended.',
    labelNames: ['kind', 'status', 'finish_reason'] as const,
    buckets: CALL_SECONDS,
    registers,
  })
  const models = new Histogram({
    name: 'svc_model_call_duration_seconds',
    help: 'Calls of a model, to the end of its turn.',
    labelNames: ['provider', 'outcome'] as const,
    buckets: CALL_SECONDS,
    registers,
  })
  const tokens = new Counter({
    name: 'svc_model_tokens_total',
    help: 'Tokens as the provider reports them.',
    labelNames: ['provider', 'direction'] as const,
    registers,
  })
  const calls = new Histogram({
    name: 'svc_capability_call_duration_seconds',
    help: 'Capability calls, by what came of them.',
    labelNames: ['outcome'] as const,
    buckets: CALL_SECONDS,
    registers,
  })
  return {
    executionEnded({ kind, status, finishReason, durationMs }) {
      executions.observe({ kind, status, finish_reason: finishReason }, durationMs / 1000)
    },
    modelCallEnded({ provider, outcome, durationMs, inputTokens, outputTokens }) {
      models.observe({ provider, outcome }, durationMs / 1000)
      tokens.inc({ provider, direction: 'input' }, inputTokens)
      tokens.inc({ provider, direction: 'output' }, outputTokens)
    },
    callEnded: ({ outcome, durationMs }) => calls.observe({ outcome }, durationMs / 1000),
  }
}

type DatabaseMetrics = Pick<Metrics, 'batchEnded' | 'databaseFailed' | 'leaseRenewed' | 'executionsInterrupted'>

function countDatabase(register: Registry): DatabaseMetrics {
  const registers = [register]
  const durations = new Histogram({
    name: 'svc_batch_duration_seconds',
    help: 'Transactions that write a batch, failed ones included.',
    labelNames: ['batch'] as const,
    buckets: BATCH_SECONDS,
    registers,
  })
  const sizes = new Histogram({
    name: 'svc_batch_size',
    help: 'How many items were written together.',
    labelNames: ['batch'] as const,
    buckets: BATCH_SIZES,
    registers,
  })
  const faults = new Counter({
    name: 'svc_database_errors_total',
    help: 'Faults of the database, by where they were met.',
    labelNames: ['place'] as const,
    registers,
  })
  const renewals = new Counter({
    name: 'svc_lease_renewals_total',
    help: 'Renewals of this process’s lease.',
    labelNames: ['outcome'] as const,
    registers,
  })
  const interrupted = new Counter({
    name: 'svc_interrupted_executions_total',
    help: 'Executions that this process failed because nobody ran them any more.',
    registers,
  })
  return {
    batchEnded({ name, size, durationMs }) {
      durations.observe({ batch: name }, durationMs / 1000)
      sizes.observe({ batch: name }, size)
    },
    databaseFailed: (place) => faults.inc({ place }),
    leaseRenewed: (outcome) => renewals.inc({ outcome }),
    executionsInterrupted: (count) => interrupted.inc(count),
  }
}

function tellBuild(register: Registry): void {
  const labelNames = ['version', 'nodejs'] as const
  const build = new Gauge({ name: 'svc_build_info', help: 'Always 1.', labelNames, registers: [register] })
  build.set({ version: VERSION, nodejs: process.version }, 1)
}

function readGauges(register: Registry, gauges: () => Gauges | undefined): void {
  const read = (name: string, help: string, value: (gauges: Gauges) => number) =>
    new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        const watched = gauges()
        if (watched) this.set(value(watched))
      },
    })
  read('svc_running_executions', 'Executions under way.', ({ runningExecutions }) => runningExecutions())
  read('svc_held_bytes', 'Heap that requests, transcripts and answers in flight take.', ({ heldBytes }) => heldBytes())
  read('svc_open_circuits', 'Endpoints to which calls are paused.', ({ openCircuits }) => openCircuits())
  read('svc_unwritten_outcomes', 'Outcomes that wait to be written again.', (each) => each.unwrittenOutcomes())
  read('svc_unknown_admissions', 'Admissions that may have taken place.', (each) => each.unknownAdmissions())
  read(
    'svc_clock_offset_seconds',
    'By how much the machine’s clock is ahead of the database’s.',
    ({ clockOffsetMs }) => clockOffsetMs() / 1000,
  )
  read('svc_lease_held', '1 while this process may run executions.', ({ isLeaseHeld }) => Number(isLeaseHeld()))
  read('svc_draining', '1 from the moment at which it was told to stop.', ({ isDraining }) => Number(isDraining()))
  const readPool = (name: string, help: string, of: keyof PoolUse) =>
    read(`svc_database_connections_${name}`, help, ({ pool }) => pool?.()[of] ?? 0)
  readPool('used', 'Connections to PostgreSQL that are in use.', 'used')
  readPool('waiting', 'Queries and transactions that wait for a connection.', 'waiting')
  readPool('maximum', 'Connections that this process may have at once; 0 with SQLite.', 'maximum')
  new Gauge({
    name: 'svc_batch_queued',
    help: 'Items that wait for their batch.',
    labelNames: ['batch'] as const,
    registers: [register],
    collect() {
      for (const [batch, depth] of Object.entries(gauges()?.queued ?? {})) this.set({ batch }, depth())
    },
  })
}
