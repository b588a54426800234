import { usageOf } from '../../support/process-usage.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { bestOf, type GrowthRow, isWithinMark } from './judge.ts'
import { type GrowthCase, growthCases, type HistorySource } from './reads.ts'
import { type Asker, createAsker, timeInTurns } from './turns.ts'

const SAMPLES = 500
const MAX_TRIES = 3
/** So many requests that the kernel's clock, of hundredths of a second, tells what one of them took. */
const CPU_SAMPLES = 200

/** One history's kind of request, and who is asked. */
interface Side {
  asker: Asker
  request: GrowthCase
  /** Processor time that its server and the database have spent, milliseconds. */
  cpuMs(): number
}

/** Asks every history for everything, kind by kind, the histories in turn. */
export async function measureGrowth(
  context: ScenarioContext,
  histories: readonly HistorySource[],
  databaseCpuMs: () => number,
): Promise<GrowthRow[]> {
  const askers = histories.map(({ url, apiKey, pid }) => ({
    asker: createAsker(url, apiKey),
    cpuMs: () => usageOf(pid).cpuMs + databaseCpuMs(),
  }))
  const cases = await Promise.all(histories.map((history) => growthCases(history, context.random.fork())))
  const rows: GrowthRow[] = []
  for (const [index, { name }] of (cases[0] ?? []).entries()) {
    const sides = askers.flatMap((asker, history) => {
      const request = cases[history]?.[index]
      return request === undefined ? [] : [{ ...asker, request }]
    })
    await checkRows(sides)
    rows.push(await measureCase(context, name, sides))
  }
  await Promise.all(askers.map(({ asker }) => asker.close()))
  return rows
}

/** Answers of different lengths could not be compared. */
async function checkRows(sides: readonly Side[]): Promise<void> {
  const counts = await Promise.all(
    sides.map(async ({ asker, request }) => {
      if (!request.name.includes('page')) return 0
      const { text } = await asker.ask(request)
      return text.split('"executionId"').length - 1
    }),
  )
  const [first] = sides
  if (new Set(counts).size > 1)
    throw new Error(`${first?.request.name}: the histories answer ${counts.join(', ')} rows`)
}

async function measureCase({ count }: ScenarioContext, name: string, sides: readonly Side[]): Promise<GrowthRow> {
  const asks = sides.map(
    ({ asker, request }) =>
      async () =>
        (await asker.ask(request)).ms,
  )
  const once = async (): Promise<GrowthRow> => {
    const times = await timeInTurns(asks, count(SAMPLES, 5))
    const cpu: number[] = []
    for (const side of sides) cpu.push(await cpuOf(side, count(CPU_SAMPLES, 5)))
    return { name, times: times.map((each, index) => ({ ...each, cpuMs: cpu[index] ?? Number.NaN })) }
  }
  const tries: [GrowthRow, ...GrowthRow[]] = [await once()]
  while (!tries.some(isWithinMark) && tries.length < count(MAX_TRIES)) tries.push(await once())
  return bestOf(tries)
}

/** Processor milliseconds of a request, which other programs on the machine do not change. */
async function cpuOf({ asker, request, cpuMs }: Side, samples: number): Promise<number> {
  const before = cpuMs()
  for (let sample = 0; sample < samples; sample += 1) await asker.ask(request)
  return (cpuMs() - before) / samples
}
