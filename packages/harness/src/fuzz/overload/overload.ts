import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { type PostgresCluster, startPostgresCluster } from '../../support/postgres-cluster.ts'
import { familyCpuMs, machineCpuMs } from '../../support/process-usage.ts'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { quantile, rounded } from '../../support/statistics.ts'
import { createPostgresStore } from '../../support/store.ts'
import { requireTools } from '../../support/tools.ts'
import { startProbe } from '../support/probe.ts'
import { type Stage, setStage } from '../support/stage.ts'
import { generate, OTHERS_CORE, PINNED } from './generate.ts'
import type { LoadNotes, LoadTask } from './generator/load.ts'
import { type Capacity, capacityOf, judgeOverload, type OverloadRun } from './judge-overload.ts'
import { setWork, startShopModel, type Work } from './work.ts'

const SERVER_CORE = '0'
const CLOSED_LOOPS = [8, 16, 32, 64]
const CLOSED_LOOP_MS = 8_000
/** Before anything is measured, until the server runs compiled code. */
const WARM_UP = { connections: 32, durationMs: 8_000, perSecond: null }
const OVERLOAD_MS = 60_000
const OVERLOAD = 5
const MAX_CONNECTIONS = 2_000
const HEALTH_EVERY_MS = 50
const LIVE = Buffer.from('GET /live HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')

/** Five times as much as the server can serve, at its own times and not at the server's: strangers' calls, then executes. */
export const overload: Scenario = {
  name: 'overload',
  title: 'under five times its capacity the server does what it can and refuses the rest',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    pinThisProcess(context)
    const cluster = await openCluster(context)
    const model = await startShopModel()
    context.onEnd(() => model.close())
    const stage = await setStage(context, {
      wrapper: ['taskset', '-c', SERVER_CORE],
      variables: { SVC_MODEL: 'openai-compatible:quick', SVC_MODEL_BASE_URL: model.baseUrl, SVC_OPS_PORT: '0' },
      ...(cluster !== null && { store: await createPostgresStore(cluster.url) }),
    })
    const checks: Check[] = []
    for (const work of await setWork(stage)) {
      const run = await overdo(context, {
        stage,
        work,
        oursMs: () => familyCpuMs(process.pid) + (cluster?.cpuMs() ?? 0),
      })
      checks.push(...judgeOverload(run).map((check) => ({ ...check, what: `${work.name}: ${check.what}` })))
    }
    return checks
  },
}

interface Subject {
  stage: Stage
  work: Work
  /** Processor time that this run has taken so far. */
  oursMs: () => number
}

async function overdo(context: ScenarioContext, { stage, work, oursMs }: Subject): Promise<OverloadRun> {
  const { port, url, opsUrl } = stage.server
  if (opsUrl === null) throw new Error('the server has no operations port')
  const opsPort = Number(new URL(opsUrl).port)
  const run = (task: Pick<LoadTask, 'connections' | 'durationMs' | 'perSecond'>) =>
    generate(context, { port, requests: work.requests, ...task }, PINNED)
  context.say(`${work.name}:`)
  await run({ ...WARM_UP, durationMs: context.count(WARM_UP.durationMs, 3_000) })
  const others = watchOthers(oursMs)
  const capacity = await measureCapacity(context, run)
  const health = startProbe({ port: opsPort, everyMs: HEALTH_EVERY_MS, request: LIVE })
  const load = await run({
    connections: MAX_CONNECTIONS,
    durationMs: context.count(OVERLOAD_MS, 3_000),
    perSecond: capacity.perSecond * OVERLOAD,
  })
  const notes = await health.stop()
  const othersShare = others.share()
  context.say(`answers by status: ${JSON.stringify(load.byStatus)}, unsent ${load.unsent}, broken ${load.broken}`)
  context.say(`p99 of how late the generator was: ${rounded(quantile(load.lateMs, 0.99))} ms`)
  const isAlive = await fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
  return { capacity, load, health: notes, isAlive, othersShare }
}

/** The best of several closed loops, each with so many callers who wait for their answer. */
async function measureCapacity(
  context: ScenarioContext,
  run: (task: Pick<LoadTask, 'connections' | 'durationMs' | 'perSecond'>) => Promise<LoadNotes>,
): Promise<Capacity> {
  let best: Capacity = { perSecond: 0, p99Ms: 0 }
  for (const connections of CLOSED_LOOPS) {
    const durationMs = context.count(CLOSED_LOOP_MS, 1_000)
    const measured = capacityOf(await run({ connections, durationMs, perSecond: null }))
    context.say(`${connections} callers: ${rounded(measured.perSecond)}/s, p99 ${rounded(measured.p99Ms)} ms`)
    if (measured.perSecond > best.perSecond) best = measured
  }
  return best
}

/** A database of the run's own, which this process starts, and so beside its callers. None for SQLite. */
async function openCluster({ engine, onEnd }: ScenarioContext): Promise<PostgresCluster | null> {
  if (engine === 'sqlite') return null
  const cluster = await startPostgresCluster({ shared_buffers: '512MB' })
  onEnd(cluster.remove)
  return cluster
}

/** What programs other than this run's took of the machine's processors, as a share of their time. */
function watchOthers(oursMs: () => number): { share(): number } {
  const look = () => ({ ...machineCpuMs(), oursMs: oursMs() })
  const before = look()
  return {
    share() {
      const { busyMs, totalMs, oursMs } = look()
      return Math.max(0, busyMs - before.busyMs - (oursMs - before.oursMs)) / (totalMs - before.totalMs)
    },
  }
}

// The endpoint and the health checks live in this process: away from the server’s core, too.
function pinThisProcess({ env, onEnd }: ScenarioContext): void {
  const cores = availableParallelism()
  if (cores < 2) throw new Error('two processors are needed: one for the server, one for its callers')
  requireTools(['taskset'], env)
  const pin = (list: string) =>
    execFileSync('taskset', ['-a', '-p', '-c', list, String(process.pid)], { stdio: 'ignore' })
  pin(OTHERS_CORE)
  onEnd(() => pin(`0-${cores - 1}`))
}
