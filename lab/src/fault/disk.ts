import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../support/client.ts'
import { brokerPath, openServingEnvironment, startWatched } from '../support/environment.ts'
import { requireTools, temporaryFolder } from '../support/programs.ts'
import {
  atLeast,
  atMost,
  type Check,
  exactly,
  none,
  prefixed,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import { endedWithin, runAdmin } from '../support/server.ts'
import { startCallCounter } from '../support/serving.ts'
import { type Store, sqliteStoreIn } from '../support/store.ts'
import { PROGRAM_MS, until, within } from '../support/within.ts'
import { Load } from './load.ts'
import { anyReplica, openLoadTarget } from './load-target.ts'
import { runningAfter } from './rows.ts'

const CALLERS = 16
// Longer than the node's lease.
const FAILING_MS = 36_000
const BEFORE_MS = 3_000
const AFTER_CALLS = 200
const RECOVERY_MS = 15_000
/** The low-water mark would refuse all on so small a disk: this one is to fill up. */
const FILLS_UP = { SVC_LIMIT_FREE_DISK_BYTES: '1' }
// Longer than from one look at the disk to the next.
const LOOK_MS = 3_000
const BROKEN = /socket|closed|terminated|ECONN/i
const LIST = { method: 'GET', path: '/v1/executions?limit=20' } as const

export const disk: Scenario = {
  name: 'disk',
  title: 'A full disk and a failing one: nothing acknowledged is lost, and the service recovers by itself',
  engines: ['sqlite'],
  async run(context) {
    const [full, small] = [mountMemory(context, '32m'), mountMemory(context, '128m')]
    return [
      ...(await runWithFault(context, 'full disk', fullDisk(full))),
      ...(await startOnFullDisk(context, small)),
      ...(await runWithFault(context, 'fsync errors', failingDisk(context))),
    ]
  },
}

/** A disk that can fail under a running server, and be repaired. */
interface FaultyDisk {
  store: Store
  begin(serverPid: number): unknown
  end(): unknown
}

/** The folder of a new file system in memory, unmounted with the run. Throws where this is not root. */
function mountMemory(context: ScenarioContext, size: string): string {
  const folder = temporaryFolder(context)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' })
  context.onEnd(() => execFileSync('umount', [folder], { stdio: 'pipe' }))
  return folder
}

function fill(folder: string, spare: number): void {
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - spare)))
}

function fullDisk(folder: string): FaultyDisk {
  return {
    store: sqliteStoreIn(folder),
    // All but some pages, so that the rest is spent in the middle of the load.
    begin: () => fill(folder, 200 * 1024),
    end: () => execFileSync('mount', ['-o', 'remount,size=256m', folder], { stdio: 'pipe' }),
  }
}

/** `fsync` fails with an input/output error, by strace. */
function failingDisk(context: ScenarioContext): FaultyDisk {
  requireTools(['strace'], context.env)
  let strace: ChildProcess | undefined
  return {
    store: sqliteStoreIn(temporaryFolder(context)),
    async begin(serverPid) {
      const faults = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO']
      strace = spawn('strace', ['-f', '-qq', ...faults, '-o', '/dev/null', '-p', String(serverPid)], { stdio: 'pipe' })
      await pause(1_000)
      if (strace.exitCode !== null) throw new Error(`strace could not attach: ${strace.stderr?.read()}`)
    },
    async end() {
      if (strace === undefined) throw new Error('strace was not started')
      const ended = once(strace, 'exit')
      strace.kill('SIGINT')
      await within(ended, PROGRAM_MS, 'strace to let go of the server')
    },
  }
}

async function runWithFault(context: ScenarioContext, name: string, faulty: FaultyDisk): Promise<Check[]> {
  const target = await openLoadTarget(context, { store: faulty.store, replicas: 1, variables: FILLS_UP })
  const load = await new Load(target, context.random.fork()).start(CALLERS)
  const replica = anyReplica(target)
  await pause(Math.max(500, context.count(BEFORE_MS)))
  const endDisturbance = load.disturb(replica)
  const begunAt = Date.now()
  await faulty.begin(replica.server.pid)
  const failing = () => load.operations.filter((one) => one.invokedAt >= begunAt && one.outcome.as !== 'completed')
  await until(() => failing().length >= 10, 60_000)
  let failedReads = 0
  for (let index = 0; index < 20; index += 1) {
    const reply = await replica.client.send({ ...LIST, key: target.owners[0]?.apiKey })
    failedReads += reply.status === 200 ? 0 : 1
  }
  await pause(context.count(FAILING_MS, 1_500))
  const refused = failing().length
  await faulty.end()
  const repairedAt = Date.now()
  await until(
    () => load.operations.some((one) => one.invokedAt >= repairedAt && one.outcome.as === 'completed'),
    60_000,
  )
  const recoveryS = (Date.now() - repairedAt) / 1_000
  endDisturbance()
  const recoveredAt = Date.now()
  await load.answered(replica, context.count(AFTER_CALLS, 30))
  await load.stop()
  // Every acknowledged execution must be there for a process that has seen nothing of the faults.
  await runningAfter(target.store, RECOVERY_MS)
  await target.replicaSet.kill(replica)
  await target.replicaSet.start()
  const texts = (wanted: (one: (typeof load.operations)[number]) => boolean) =>
    load.operations.filter(wanted).map(({ outcome }) => JSON.stringify(outcome))
  return prefixed(`${name}: `, [
    atLeast('operations that failed while it lasted', refused, 10),
    exactly('reads that failed while it lasted', failedReads, 0),
    atMost('time to the first success afterwards', recoveryS, RECOVERY_MS / 1_000, 's'),
    none(
      'operations refused once it had recovered',
      texts(({ invokedAt, outcome }) => invokedAt > recoveredAt && outcome.as === 'refused'),
    ),
    none(
      'connections broken off',
      texts(({ outcome }) => outcome.as === 'unknown' && BROKEN.test(outcome.reason)),
    ),
    ...(await load.judge(RECOVERY_MS, 1)),
  ])
}

/** Fills the disk to the last byte while calls are running; then the server is killed and started again. */
async function startOnFullDisk(context: ScenarioContext, folder: string): Promise<Check[]> {
  const endpoint = await startCallCounter(context, { outputBytes: 4_000, afterMs: LOOK_MS + 2_000 })
  const variables = { SVC_LIMIT_FREE_DISK_BYTES: String(48 * 1024 * 1024) }
  const environment = await openServingEnvironment(context, {
    endpoint: endpoint.url,
    variables,
    store: sqliteStoreIn(folder),
  })
  const client = createClient(environment.server.url)
  const call = { path: brokerPath(environment.runtimes[0]), body: { input: {} } }
  await pause(LOOK_MS)
  const underWay = Array.from({ length: 20 }, () => client.send(call))
  await pause(LOOK_MS / 2)
  fill(folder, 0)
  await pause(LOOK_MS)
  const refused = await client.send(call)
  const settled = await Promise.all(underWay)
  environment.server.kill('SIGKILL')
  await Promise.all([endedWithin(environment.server), client.close()])
  const again = createClient((await startWatched(context, environment.options)).url)
  const read = await again.send({ ...LIST, key: environment.owner.apiKey })
  await pause(LOOK_MS)
  const refusedAgain = await again.send(call)
  await runAdmin(environment.options, ['prune'])
  return prefixed('full start: ', [
    exactly('calls under way that were answered and settled', settled.filter((one) => one.status === 200).length, 20),
    exactly('a new call, its status', refused.status, 429),
    exactly('the next server reads, its status', read.status, 200),
    exactly('a new call there, its status', refusedAgain.status, 429),
    exactly('executions left `running`', await runningAfter(environment.store, 15_000), 0),
  ])
}
