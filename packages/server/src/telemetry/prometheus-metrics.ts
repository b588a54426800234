import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from '../lib/version.ts'
import {
  APPROVAL_EVENTS,
  BATCHES,
  DATABASE_PLACES,
  GAUGES,
  type Gauges,
  LIMITS,
  type Metrics,
  OVERLOAD_REASONS,
  type PoolUse,
  RENEWALS,
} from './metrics.ts'

export interface PrometheusMetrics extends Metrics {
  readonly contentType: string
  text(): Promise<string>
}

/** In seconds: requests and calls take from a millisecond to the five minutes of a long execution. */
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const BATCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

// A caller can send any method. Those that no route takes share one label.
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Starts the metrics of the process, and counts the calls of its methods. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const register = new Registry()
  const instruments = instrumentsOf(register)
  let gauges: Gauges | undefined
  collectDefaultMetrics({ register })
  const build = instruments.gauge('svc_build_info', 'Always 1.', ['version', 'nodejs'])
  build.set({ version: VERSION, nodejs: process.version }, 1)
  readGauges(instruments, () => gauges)
  return {
    ...countRequests(instruments),
    ...countWork(instruments),
    ...countApprovals(instruments),
    ...countDatabase(instruments),
    watch(watched) {
      gauges = watched
    },
    contentType: register.contentType,
    text: () => register.metrics(),
  }
}

type Instruments = ReturnType<typeof instrumentsOf>

function instrumentsOf(register: Registry) {
  const registers = [register]
  return {
    counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    /** A counter with one label, each of whose values is 0 from the start: rate() misses the first count of a new series. */
    counterOf: <L extends string>(name: string, help: string, label: L, values: readonly string[]) => {
      const counter = new Counter({ name, help, labelNames: [label], registers })
      for (const value of values) counter.labels(value).inc(0)
      return counter
    },
    gauge: <L extends string = never>(
      name: string,
      help: string,
      labelNames: readonly L[] = [],
      collect?: (this: Gauge<L>) => void,
    ) => new Gauge({ name, help, labelNames, registers, ...(collect && { collect }) }),
    histogram: <L extends string>(name: string, help: string, buckets: number[], labelNames: readonly L[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  }
}

function countRequests({ counterOf, histogram }: Instruments) {
  const requests = histogram(
    'svc_http_request_duration_seconds',
    'HTTP requests, from their head to the end of their answer.',
    CALL_SECONDS,
    ['method', 'route', 'status'],
  )
  const overload = counterOf(
    'svc_overload_refusals_total',
    'Requests refused before anything was done for them: too much was in flight, or the database was away.',
    'reason',
    OVERLOAD_REASONS,
  )
  const keptOut = 'Requests that a rate limit or a quota kept out.'
  const refused = counterOf('svc_admission_refusals_total', keptOut, 'limit', LIMITS)
  return {
    requestEnded({ method, route, status, durationMs }) {
      const labels = { route: route ?? 'none', status: `${Math.trunc(status / 100)}xx` }
      requests.observe({ method: METHODS.has(method) ? method : 'other', ...labels }, durationMs / 1000)
    },
    requestRefused: (reason) => overload.inc({ reason }),
    admissionRefused: (limit) => refused.inc({ limit }),
  } satisfies Partial<Metrics>
}

function countWork({ counter, histogram }: Instruments) {
  const executions = histogram('svc_execution_duration_seconds', 'Executions that this process ended.', CALL_SECONDS, [
    'kind',
    'status',
    'finish_reason',
  ])
  const models = histogram(
    'svc_model_call_duration_seconds',
    'Calls of a model, to the end of its turn.',
    CALL_SECONDS,
    ['provider', 'outcome'],
  )
  const tokens = counter('svc_model_tokens_total', 'Tokens as the provider reports them.', ['provider', 'direction'])
  const calls = histogram('svc_capability_call_duration_seconds', 'Capability calls, by outcome.', CALL_SECONDS, [
    'outcome',
  ])
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
  } satisfies Partial<Metrics>
}

function countApprovals({ counter, counterOf, gauge }: Instruments) {
  const ended = 'Approvals that this process asked for or ended.'
  const events = counterOf('svc_approvals_total', ended, 'event', APPROVAL_EVENTS)
  const pending = gauge('svc_pending_approvals', 'Calls that wait for a person, in the whole service.')
  const gaps = counter('svc_stream_gaps_total', 'Readers who asked for events of a stream that were dropped.')
  return {
    approvals: (event, count = 1) => events.inc({ event }, count),
    approvalsPending: (count) => pending.set(count),
    streamGap: () => gaps.inc(),
  } satisfies Partial<Metrics>
}

function countDatabase({ counter, counterOf, histogram }: Instruments) {
  const help = 'Transactions that write a batch, failed ones included.'
  const durations = histogram('svc_batch_duration_seconds', help, BATCH_SECONDS, ['batch'])
  const sizes = histogram('svc_batch_size', 'How many items were written together.', BATCH_SIZES, ['batch'])
  const met = 'Faults of the database, by where they were met.'
  const faults = counterOf('svc_database_errors_total', met, 'place', DATABASE_PLACES)
  const renewals = counterOf('svc_lease_renewals_total', 'Renewals of this process’s lease.', 'outcome', RENEWALS)
  const interrupted = counter(
    'svc_interrupted_executions_total',
    'Executions that this process failed because no process ran them any more.',
  )
  return {
    batchEnded({ name, size, durationMs }) {
      durations.observe({ batch: name }, durationMs / 1000)
      sizes.observe({ batch: name }, size)
    },
    databaseFailed: (place) => faults.inc({ place }),
    leaseRenewed: (outcome) => renewals.inc({ outcome }),
    executionsInterrupted: (count) => interrupted.inc(count),
  } satisfies Partial<Metrics>
}

function readGauges({ gauge }: Instruments, gauges: () => Gauges | undefined): void {
  const read = (name: string, help: string, value: (gauges: Gauges) => number) =>
    gauge(name, help, [], function () {
      const watched = gauges()
      if (watched) this.set(value(watched))
    })
  for (const [name, help] of GAUGES) read(name, help, (watched) => watched[name]())
  const readPool = (use: keyof PoolUse, help: string) =>
    read(`svc_database_connections_${use}`, help, ({ pool }) => pool?.()[use] ?? 0)
  readPool('used', 'Connections to PostgreSQL that are in use.')
  readPool('waiting', 'Queries and transactions that wait for a connection.')
  readPool('maximum', 'Connections that this process may have at once; 0 with SQLite.')
  gauge('svc_batch_queued', 'Items that wait for their batch.', ['batch'], function () {
    const watched = gauges()
    if (watched) for (const batch of BATCHES) this.set({ batch }, watched.queued(batch))
  })
}
