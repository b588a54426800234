import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../packages/server/test/support/engines.ts'
import { startForTest } from '../packages/server/test/support/service.ts'
import { runProgram, type Taken } from './deploy/run-program.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SVC = join(ROOT, 'packages/cli/bin/svc.js')
// Smaller figures are for trying the benchmark out.
const SAMPLES = Number(process.env['BENCH_SAMPLES'] ?? 10)
/** How long a deployment in which nothing has changed may take, in milliseconds of wall time at the median. */
const PASS_MARK_MS = 1_500

describeEngine('sqlite', 'svc deploy of the sample shop', (engine) => {
  const database = useDatabase(engine)

  test(`takes at most ${PASS_MARK_MS} ms where nothing has changed`, async () => {
    const service = await startForTest(database(), { baseUrl: 'https://svc.example.com' })
    const runtime = await service.runtime(await service.owner('enterprise'))
    const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const env = { SVC_API_KEY: runtime.deployKey, SVC_BASE_URL: address }
    const first: Taken[] = []
    const second: Taken[] = []
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { folder, remove } = copyOfShop()
      first.push(await runProgram([SVC, 'deploy', '--json'], folder, env))
      second.push(await runProgram([SVC, 'deploy', '--json'], folder, env))
      remove()
    }
    process.stdout.write(report(first, second))
    expect(median(second, 'wall')).toBeLessThan(PASS_MARK_MS)
  })
})

/** The shop as it is after a checkout: nothing generated, nothing compiled. */
function copyOfShop(): { folder: string; remove: () => void } {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-')))
  const folder = join(parent, 'examples/shop')
  for (const path of [
    'tsconfig.base.json',
    ...['.svc/runtime.ts', 'src', 'svc.config.ts', 'tsconfig.json'].map(ofShop),
  ]) {
    mkdirSync(dirname(join(parent, path)), { recursive: true })
    cpSync(join(ROOT, path), join(parent, path), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(parent, 'node_modules'))
  // Its own is empty, so that what is compiled into it goes with the copy.
  mkdirSync(join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) }
}

function ofShop(path: string): string {
  return join('examples/shop', path)
}

function median(samples: readonly Taken[], of: keyof Taken): number {
  const sorted = samples.map((taken) => taken[of]).sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function report(first: readonly Taken[], second: readonly Taken[]): string {
  const line = (of: keyof Taken) => {
    const [before, after] = [median(first, of), median(second, of)]
    return `| ${of} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${(after / before).toFixed(2)} |`
  }
  return [
    '',
    `svc deploy of the sample shop, median of ${SAMPLES}, milliseconds`,
    '',
    '| time | first | second | ratio |',
    '|---|---|---|---|',
    line('wall'),
    line('cpu'),
    '',
    '',
  ].join('\n')
}
