import type { Table } from '../../support/markdown-table.ts'
import { rounded } from '../../support/statistics.ts'
import type { Costs } from './model.ts'
import { monthOf } from './month.ts'
import type { Projection } from './projection.ts'
import { grouped, type Replayed } from './replay.ts'

/** The names of the simulation's tables. */
export const TABLES = ['costs', 'replayed', 'projection', 'month'] as const

export function costsTable(costs: Costs): Table {
  const us = (ms: number) => rounded(ms * 1_000)
  const rows = [
    ['replica', us(costs.replicaPerCall), us(costs.replicaPerTransaction)],
    ['database', us(costs.databasePerCall), us(costs.databasePerTransaction)],
    ['callers', us(costs.callerPerCall), '–'],
    ['one flush of the log', '–', us(costs.sync)],
    ['statements', '–', rounded(costs.statementsPerTransaction)],
    ['settlements wait for those of the same owner', costs.settlingLocks ? 'yes' : 'no', '–'],
  ]
  return { name: TABLES[0], head: ['fitted, µs', 'a call', 'a transaction'], rows }
}

export function replayedTable(pairs: readonly Replayed[]): Table {
  const heads = ['calls/s measured', 'simulated', 'ratio', 'p50 ms measured', 'simulated']
  const rows = grouped(pairs).map(({ first, of }) => {
    const figures = [
      of(({ run }) => run.callsPerSecond),
      of(({ simulated }) => simulated.callsPerSecond),
      of(({ run, simulated }) => simulated.callsPerSecond / run.callsPerSecond),
      of(({ run }) => run.p50Ms),
      of(({ simulated }) => simulated.latency.p50),
      of(({ run }) => run.transactionsPerCall),
      of(({ simulated }) => simulated.transactionsPerCall),
    ]
    return [String(first.run.replicas), String(first.run.owners), ...figures.map(rounded)]
  })
  return { name: TABLES[1], head: ['replicas', 'owners', ...heads, 'transactions a call', 'simulated'], rows }
}

/** Below this share of what was asked, calls pile up, and how long one takes is how long the simulation was. */
const KEPT_UP = 0.95

export function projectionTable(projections: readonly Projection[]): Table {
  const layoutHeads = ['load', 'calls/s asked', 'owners', 'replicas × databases', 'led by owner']
  const resultHeads = ['answered', 'admission p50 / p99 ms', 'calls a batch', 'replicas busy', 'busiest database']
  const rows = projections.map(({ factor, callsPerSecond, exponent, layout, result }) => [
    `× ${factor.toLocaleString('en')}`,
    callsPerSecond.toLocaleString('en'),
    exponent === 0 ? 'alike' : 'a market',
    `${layout.replicas} × ${layout.databases}`,
    layout.cells > 1 ? 'yes' : 'no',
    percent(result.answeredShare),
    result.answeredShare < KEPT_UP ? 'growing' : `${rounded(result.admission.p50)} / ${rounded(result.admission.p99)}`,
    rounded(result.callsPerBatch),
    percent(result.replicaUse),
    percent(result.databaseUse),
  ])
  return { name: TABLES[2], head: [...layoutHeads, ...resultHeads], rows }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Of each load the last layout with owners that are alike, which has cells where there can be any. */
export function monthTable(projections: readonly Projection[], bytesPerExecution: number): Table {
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  const alike = projections.filter(({ exponent }) => exponent === 0)
  const last = alike.filter(({ factor }, index) => alike[index + 1]?.factor !== factor)
  const rows = last.map(({ factor, callsPerSecond, layout }) => {
    const { replicas, databases, databaseProcessors } = layout
    const databaseCores = databases * databaseProcessors
    const month = monthOf({ callsPerSecond, replicas, databaseCores, bytesPerExecution })
    const dollars = [month.replicas, month.databases, month.storedGigabytes, month.storage, month.total].map(whole)
    return [`× ${factor.toLocaleString('en')}`, whole(month.calls), ...dollars, rounded(month.perMillionCalls)]
  })
  const heads = ['replicas $', 'databases $', 'stored GB', 'storage $', 'all $', '$ a million calls']
  return { name: TABLES[3], head: ['load', 'million calls a month', ...heads], rows }
}
