import type { LoadResult } from './wrk.ts'

/** Processor time so far, milliseconds. */
export interface Cpu {
  /** All threads of the measured process. */
  processMs: number
  mainThreadMs: number
  /** The database server's, where there is one. */
  databaseMs: number
}

/** One of those that take turns. */
export interface Candidate {
  name: string
  load(seconds: number): Promise<LoadResult>
  cpu(): Cpu
}

/** What one candidate did in one round. */
export interface Slot extends LoadResult, Cpu {}

export interface RoundsPlan {
  rounds: number
  seconds: number
  /** Waits so long after each slot; work that a server put off until then counts as the slot's. */
  rest(): Promise<unknown>
}

export type Measured = ReadonlyMap<string, readonly Slot[]>

/** Lets candidates take turns, A B C, A B C, …, so that what disturbs the machine disturbs all of them. */
export async function measureRounds(candidates: readonly Candidate[], plan: RoundsPlan): Promise<Measured> {
  const measured = new Map<string, Slot[]>(candidates.map(({ name }) => [name, []]))
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const candidate of candidates) measured.get(candidate.name)?.push(await measureSlot(candidate, plan))
  }
  return measured
}

async function measureSlot(candidate: Candidate, plan: RoundsPlan): Promise<Slot> {
  const before = candidate.cpu()
  const result = await candidate.load(plan.seconds)
  await plan.rest()
  const after = candidate.cpu()
  return {
    ...result,
    processMs: after.processMs - before.processMs,
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    databaseMs: after.databaseMs - before.databaseMs,
  }
}
