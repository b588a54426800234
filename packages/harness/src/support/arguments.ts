import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'

export type Engine = 'sqlite' | 'postgres'

/** What every harness program can be told. */
export interface HarnessArguments {
  seed: number
  /** Names of scenarios; null for all. */
  only: readonly string[] | null
  engines: readonly Engine[]
  /** By what the counts of a full run are multiplied: 1 is a full run, 0.05 a quick look. */
  scale: number
  /** How long one scenario may take, milliseconds; one that takes longer has failed. */
  limitMs: number
  /** Whether what this machine cannot run may be left out. Otherwise leaving it out fails the run. */
  allowsSkips: boolean
  /** Where results are written as JSON. */
  resultsFile: string | null
  isList: boolean
  isHelp: boolean
  /** The folder of another built server than this checkout's, such as one of another branch; null for this one's. */
  serverFolder: string | null
  /** Pages of docs/ whose tables this run's figures replace. */
  pages: readonly string[]
}

/** For whoever asks, and whoever asks in a way that is not known. */
export const USAGE = `Options:
  --help                print this and end
  --list                print the scenarios and end
  --only <a,b>          run these alone
  --engine <name>       sqlite or postgres; both without it
  --scale <share>       multiply all counts, such as 0.05 for a quick look (default 1)
  --seed <number>       repeat a run (default: drawn)
  --limit <minutes>     end a scenario that takes longer, as failed (default 60)
  --allow-skips         let a run pass without what this machine cannot run, such as what takes root
  --results <file>      write the outcomes as JSON
  --page <a,b>          put this run's tables into these pages, below their “measured” marks
  --server <folder>     run another built server, such as ../other/packages/server/dist`

const Values = z.object({
  seed: z.coerce.number().int().min(0).max(0xffffffff).optional(),
  scale: z.coerce.number().positive().max(10).default(1),
  engine: z.enum(['sqlite', 'postgres']).optional(),
  limit: z.coerce.number().positive().max(10_000).default(60),
})

export type ParsedArguments = { ok: true; given: HarnessArguments } | { ok: false; problem: string }

export function readArguments(args: readonly string[], drawnSeed: number): ParsedArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean' },
        list: { type: 'boolean' },
        only: { type: 'string' },
        engine: { type: 'string' },
        scale: { type: 'string' },
        seed: { type: 'string' },
        limit: { type: 'string' },
        'allow-skips': { type: 'boolean' },
        results: { type: 'string' },
        page: { type: 'string' },
        server: { type: 'string' },
      },
    })
    const read = Values.parse(values)
    const given: HarnessArguments = {
      seed: read.seed ?? drawnSeed,
      only: values.only === undefined ? null : values.only.split(','),
      engines: read.engine === undefined ? ['sqlite', 'postgres'] : [read.engine],
      scale: read.scale,
      limitMs: read.limit * 60_000,
      allowsSkips: values['allow-skips'] ?? false,
      resultsFile: values.results ?? null,
      pages: values.page === undefined ? [] : values.page.split(','),
      serverFolder: values.server === undefined ? null : resolve(values.server),
      isList: values.list ?? false,
      isHelp: values.help ?? false,
    }
    return { ok: true, given }
  } catch (error) {
    return { ok: false, problem: `${problemOf(error)}\n\n${USAGE}` }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    return error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}.`).join('\n')
  }
  // What follows the first sentence is about programs that take names without an option before them.
  const [sentence = ''] = String(error instanceof Error ? error.message : error).split('. ')
  return `${sentence}.`
}
