import { z } from 'zod'

const LogLine = z.object({
  level: z.number(),
  msg: z.string().default(''),
  err: z.object({ code: z.string().optional(), message: z.string().default('') }).optional(),
})
const ERROR = 50

/** What a server logged as errors, each once and how often. */
export function serverFaults(output: string): string[] {
  const counts = new Map<string, number>()
  for (const line of output.split('\n')) {
    const fault = faultOf(line)
    if (fault !== null) counts.set(fault, (counts.get(fault) ?? 0) + 1)
  }
  return [...counts].map(([fault, count]) => `${count} × ${fault}`)
}

function faultOf(line: string): string | null {
  if (!line.startsWith('{')) return null
  const parsed = LogLine.safeParse(JSON.parse(line))
  if (!parsed.success || parsed.data.level < ERROR) return null
  const { msg, err } = parsed.data
  return err === undefined ? msg : `${msg}: ${err.code ?? ''} ${err.message}`
}
