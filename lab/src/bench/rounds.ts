import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { PostgresCluster } from '../support/postgres-cluster.ts'
import { usageOf } from '../support/process-usage.ts'
import { atLeast, atMost, type Check, exactly, type Table } from '../support/scenario.ts'
import { median, rounded, sum } from '../support/statistics.ts'
import type { LoadResult } from './wrk.ts'

/** The measured server has one processor for itself; the load, the upstream and the database have the other. */
export const PROCESSORS = { servers: '0', rest: '1' } as const

const run = promisify(execFile)

/** Moves all threads of these processes, and what they start from now on. */
export async function pin(pids: readonly number[], processors: string): Promise<void> {
  if (availableParallelism() < 2) throw new Error('this scenario pins processes to two processors; there is one here')
  for (const pid of pids) await run('taskset', ['-a', '-p', '-c', processors, String(pid)])
}

/** Processor time so far, milliseconds. */
interface Cpu {
  processMs: number
  mainThreadMs: number
  databaseMs: number
}

export function cpuOf(pid: number, cluster: PostgresCluster | null = null): Cpu {
  const { cpuMs, mainThreadCpuMs } = usageOf(pid)
  return { processMs: cpuMs, mainThreadMs: mainThreadCpuMs, databaseMs: cluster?.cpuMs() ?? 0 }
}

/** One of those that take turns. */
export interface Candidate {
  name: string
  load(seconds: number): Promise<LoadResult>
  cpu(): Cpu
}

/** The result of one candidate in one round. */
export interface Slot extends LoadResult, Cpu {}

export type Measured = ReadonlyMap<string, readonly Slot[]>

/** Lets candidates take turns, A B C, A B C, …, so that a disturbance of the machine hits all of them. */
export async function measureRounds(
  candidates: readonly Candidate[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Measured> {
  const measured = new Map<string, Slot[]>(candidates.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const candidate of candidates) {
      const before = candidate.cpu()
      const result = await candidate.load(seconds)
      // Work that a server put off until then counts as the slot's.
      await sleep(1_000)
      measured.get(candidate.name)?.push({ ...result, ...difference(candidate.cpu(), before) })
    }
  }
  return measured
}

function difference(after: Cpu, before: Cpu): Cpu {
  return {
    processMs: after.processMs - before.processMs,
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    databaseMs: after.databaseMs - before.databaseMs,
  }
}

export type Figure = (slot: Slot) => number

export const callsPerSecond: Figure = ({ requests, seconds }) => requests / seconds
export const cpuMicroseconds: Figure = ({ processMs, requests }) => (processMs * 1000) / requests
export const p50Ms: Figure = (slot) => slot.p50Ms

/** A figure of several rounds. */
export interface Spread {
  median: number
  min: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** `0.93 [0.90–0.98]`. */
export function showSpread(spread: Spread): string {
  return `${rounded(spread.median)} [${rounded(spread.min)}–${rounded(spread.max)}]`
}

/** Round by round, the figure of one over that of the other. */
export function ratioOf(measured: Measured, [name, base]: readonly [string, string], figure: Figure): Spread {
  const bases = slotsOf(measured, base).map(figure)
  return spreadOf(slotsOf(measured, name).map((slot, round) => figure(slot) / (bases[round] ?? Number.NaN)))
}

export function slotsOf(measured: Measured, name: string): readonly Slot[] {
  const slots = measured.get(name)
  if (slots === undefined || slots.length === 0) throw new Error(`${name} was not measured`)
  return slots
}

export function medianAtLeast(what: string, spread: Spread, limit: number): Check {
  return { ...atLeast(what, spread.median, limit), measured: showSpread(spread) }
}

export function medianAtMost(what: string, spread: Spread, limit: number): Check {
  return { ...atMost(what, spread.median, limit), measured: showSpread(spread) }
}

/** None may have been refused or broken off: failures are fast and worth nothing. */
export function noneFailed(what: string, measured: Measured, names: readonly string[]): Check {
  const slots = names.flatMap((name) => slotsOf(measured, name))
  const failed = sum(slots.map(({ refused, broken }) => refused + broken))
  return { ...exactly(what, failed, 0), measured: `${failed} of ${sum(slots.map(({ requests }) => requests))}` }
}

/** One row for each candidate; ratios are to `base`, round by round, the rest are medians of the rounds. */
export function loadTable(measured: Measured, base: string): Table {
  const rows = [...measured].map(([name, slots]) => {
    const shown = (figure: Figure) => rounded(median(slots.map(figure)))
    const ratio = (figure: Figure) => showSpread(ratioOf(measured, [name, base], figure))
    const perCall = (ms: (slot: Slot) => number) => shown((slot) => (ms(slot) * 1000) / slot.requests)
    return [
      name,
      shown(callsPerSecond),
      ratio(callsPerSecond),
      shown(cpuMicroseconds),
      ratio(cpuMicroseconds),
      perCall(({ mainThreadMs }) => mainThreadMs),
      perCall(({ databaseMs }) => databaseMs),
      shown(p50Ms),
      shown((slot) => slot.p99Ms),
      String(sum(slots.map(({ refused, broken }) => refused + broken))),
    ]
  })
  const cpu = ['CPU µs a call', 'ratio [min–max]', 'main thread µs', 'database µs']
  return { head: ['', 'calls/s', 'ratio [min–max]', ...cpu, 'p50 ms', 'p99 ms', 'failed'], rows }
}
