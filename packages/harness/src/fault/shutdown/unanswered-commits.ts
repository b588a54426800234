import { z } from 'zod'

const Line = z.object({
  msg: z.literal('an outcome could not be written'),
  executionId: z.string(),
  err: z.object({ type: z.literal('CommitUnknownError') }),
})

/** Executions of which the service says itself, in its log, that it never learned whether their outcome was written. */
export function unansweredCommits(log: string): ReadonlySet<string> {
  const lines = log.split('\n').map((line) => Line.safeParse(parsed(line)))
  return new Set(lines.flatMap(({ data }) => (data ? [data.executionId] : [])))
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
