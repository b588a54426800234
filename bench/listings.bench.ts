import { expect, test } from 'vitest'
import { listOwnExecutions } from '../packages/server/src/executions/history.ts'
import { describeEngines } from '../packages/server/test/support/engines.ts'
import { type Case, listCases } from './listings/cases.ts'
import { createHistoryDatabase, type HistoryDatabase } from './listings/history-database.ts'
import { type Times, timeInTurns } from './listings/measure.ts'

// Smaller figures are for trying the benchmark out.
const SMALL = Number(process.env['BENCH_SMALL'] ?? 10_000)
const LARGE = Number(process.env['BENCH_LARGE'] ?? 1_000_000)
const SAMPLES = Number(process.env['BENCH_SAMPLES'] ?? 1_000)
/** How much slower than in the small history a page may be in the large one, at the 99th percentile. */
const PASS_MARK = 3
const MAX_TRIES = 3

interface Result {
  listing: Case
  rows: number
  small: Times
  large: Times
  ratio: number
}

describeEngines('pages of executions', (engine) => {
  test(`p99 among ${LARGE} executions is within ${PASS_MARK} × that among ${SMALL}`, async () => {
    const small = await createHistoryDatabase(engine, SMALL)
    const large = await createHistoryDatabase(engine, LARGE)
    try {
      const results: Result[] = []
      for (const listing of listCases()) results.push(await measure(listing, small, large))
      process.stdout.write(report(engine.name, results))
      expect(results.filter(({ ratio }) => ratio > PASS_MARK)).toEqual([])
    } finally {
      await small.remove()
      await large.remove()
    }
  })
})

/** The best of three where it has to be: a scan is slow every time, and what comes and goes is the machine's. */
async function measure(listing: Case, small: HistoryDatabase, large: HistoryDatabase): Promise<Result> {
  const tries: Result[] = []
  do tries.push(await measureOnce(listing, small, large))
  while (tries.every(({ ratio }) => ratio > PASS_MARK) && tries.length < MAX_TRIES)
  return tries.reduce((best, one) => (one.ratio < best.ratio ? one : best))
}

async function measureOnce(listing: Case, small: HistoryDatabase, large: HistoryDatabase): Promise<Result> {
  const counts = [await turnPage(listing, small), await turnPage(listing, large)]
  // Otherwise the pages could not be compared.
  expect({ listing, counts }).toEqual({ listing, counts: [counts[0], counts[0]] })
  const [ofSmall, ofLarge] = await timeInTurns(
    [() => turnPage(listing, small), () => turnPage(listing, large)],
    SAMPLES,
  )
  if (!ofSmall || !ofLarge) throw new Error('both were timed')
  return { listing, rows: counts[0] ?? 0, small: ofSmall, large: ofLarge, ratio: ofLarge.p99 / ofSmall.p99 }
}

async function turnPage(listing: Case, { database, history }: HistoryDatabase): Promise<number> {
  const owner = { ownerId: history.ownerId, email: 'owner@example.com', tier: 'enterprise' } as const
  const deps = { db: database.db, clock: { now: () => history.now } }
  const { executions } = await listOwnExecutions(deps, owner, listing.filter(history))
  return executions.length
}

function report(engine: string, results: readonly Result[]): string {
  const lines = results.map(({ listing, rows, small, large, ratio }) =>
    [
      '',
      listing.title,
      listing.page,
      rows,
      ...[small.p50, large.p50, small.p99, large.p99].map((ms) => ms.toFixed(2)),
      ratio.toFixed(2),
      '',
    ]
      .join(' | ')
      .trim(),
  )
  const worst = Math.max(...results.map(({ ratio }) => ratio))
  return [
    '',
    `${engine}: pages of 50, ${SAMPLES} of each kind, milliseconds; worst ratio of p99 ${worst.toFixed(2)}, pass mark ${PASS_MARK}`,
    '',
    `| filters | page | rows | p50 of ${SMALL} | p50 of ${LARGE} | p99 of ${SMALL} | p99 of ${LARGE} | ratio of p99 |`,
    '|---|---|---|---|---|---|---|---|',
    ...lines,
    '',
    '',
  ].join('\n')
}
