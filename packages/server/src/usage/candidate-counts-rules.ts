import { z } from 'zod'
import { durationBucket } from './histogram.ts'

/** What a deployment served since the share of the candidate was set. */
export const CandidateCounts = z.object({
  executions: z.int(),
  /** Those that failed, or had a call that failed or whose outcome is unknown. */
  bad: z.int(),
  failed: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** How many there were in each duration bucket. */
  durations: z.record(z.string(), z.int()),
})
export type CandidateCounts = z.infer<typeof CandidateCounts>

export function noCounts(): CandidateCounts {
  return { executions: 0, bad: 0, failed: 0, inputTokens: 0, outputTokens: 0, durations: {} }
}

interface Ended {
  isCompleted: boolean
  inputTokens: number
  outputTokens: number
  durationMs: number
  calls: readonly { isCompleted: boolean }[]
}

export function countExecution(counts: CandidateCounts, ended: Ended): void {
  const { isCompleted, inputTokens, outputTokens, durationMs, calls } = ended
  const isBad = !isCompleted || calls.some((call) => !call.isCompleted)
  const durations = { [durationBucket(durationMs)]: 1 }
  addCounts(counts, { executions: 1, bad: +isBad, failed: +!isCompleted, inputTokens, outputTokens, durations })
}

export function addCounts(counts: CandidateCounts, added: CandidateCounts): void {
  counts.executions += added.executions
  counts.bad += added.bad
  counts.failed += added.failed
  counts.inputTokens += added.inputTokens
  counts.outputTokens += added.outputTokens
  for (const [bucket, count] of Object.entries(added.durations)) {
    counts.durations[bucket] = (counts.durations[bucket] ?? 0) + count
  }
}
