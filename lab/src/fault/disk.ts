import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { createClient, type Heard } from '../support/client.ts'
import { requireTools } from '../support/programs.ts'
import {
  atLeast,
  atMost,
  type Check,
  exactly,
  none,
  type Scenario,
  type ScenarioContext,
  skipped,
} from '../support/scenario.ts'
import { endedWithin, runAdmin } from '../support/server.ts'
import { createSqliteStore, type Store } from '../support/store.ts'
import { PROGRAM_MS, until, within } from '../support/within.ts'
import { openCalledWorld, startWatched } from '../support/world.ts'
import { parsed, playWhole, speakTurn, startCallCounter, startModelDouble, taggedBody } from './doubles.ts'
import { readCalls, readExecutions, runningAfter } from './rows.ts'

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
const USAGE = { inputTokens: 30, outputTokens: 9 }
const ASKING = speakTurn({ toolCalls: [{ name: 'act' }] }, USAGE)
const DONE = speakTurn({ text: 'Done.' }, USAGE)

export const disk: Scenario = {
  name: 'disk',
  title: 'A full disk and a failing one: nothing acknowledged is lost, and the service recovers by itself',
  engines: ['sqlite'],
  async run(context) {
    const [full, small] = [mountMemory(context, '3m'), mountMemory(context, '128m')]
    if (full === null || small === null) {
      const why = 'a tmpfs cannot be mounted, which takes root'
      return [skipped('full disk', why, context), ...(await meet(context, 'fsync errors', failingDisk(context)))]
    }
    return [
      ...(await meet(context, 'full disk', fullDisk(full))),
      ...(await startOnFullDisk(context, small)),
      ...(await meet(context, 'fsync errors', failingDisk(context))),
    ]
  },
}

/** A disk that can be made to fail under a server that runs, and be mended again. */
interface BadDisk {
  store: Store
  begin(serverPid: number): Promise<void>
  end(): Promise<void>
}

/** The folder of a new file system in memory, unmounted with the run; null where that is not allowed. */
function mountMemory({ onEnd }: ScenarioContext, size: string): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  onEnd(() => {
    execFileSync('umount', [folder], { stdio: 'pipe' })
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** The folder is a mount point: it goes when it has been unmounted. */
function mountedStore(folder: string): Store {
  return { ...createSqliteStore(folder), remove: async () => undefined }
}

function fill(folder: string, spare: number): void {
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - spare)))
}

function fullDisk(folder: string): BadDisk {
  return {
    store: mountedStore(folder),
    // All but some pages, so that the rest is spent in the middle of the load.
    begin: async () => fill(folder, 200 * 1024),
    end: async () => void execFileSync('mount', ['-o', 'remount,size=256m', folder], { stdio: 'pipe' }),
  }
}

/** `fsync` fails with an input/output error, by strace. */
function failingDisk({ env }: ScenarioContext): BadDisk {
  requireTools(['strace'], env)
  let strace: ChildProcess | undefined
  return {
    store: createSqliteStore(),
    async begin(serverPid) {
      const faults = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO']
      strace = spawn('strace', ['-f', '-qq', ...faults, '-o', '/dev/null', '-p', String(serverPid)], { stdio: 'pipe' })
      await pause(1_000)
      if (strace.exitCode !== null) throw new Error(`strace could not attach: ${strace.stderr?.read()}`)
    },
    async end() {
      const ended = new Promise((resolve) => strace?.once('exit', resolve))
      strace?.kill('SIGINT')
      await within(ended, PROGRAM_MS, 'strace to let go of the server')
    },
  }
}

type Phase = 'before' | 'failing' | 'after'

/** An answer of the broker or of execute. Status null: the connection broke. */
interface DiskAnswer {
  phase: Phase
  status: number | null
  text: string
  executionId: string | null
  isCompleted: boolean
}

async function meet(context: ScenarioContext, name: string, bad: BadDisk): Promise<Check[]> {
  const double = await startModelDouble(context, (_, index) => playWhole(index === 0 ? ASKING : DONE))
  const endpoint = await startCallCounter(context, { outputBytes: 4_000 })
  const variables = { ...double.serverEnv, ...FILLS_UP }
  const world = await openCalledWorld(context, { endpoint: endpoint.url, variables, store: bad.store })
  const { server, runtimes, owner, store } = world
  const client = createClient(server.url, CALLERS + 2)
  context.onEnd(client.close)
  // Half of the callers use the broker, half a conversation that calls a capability.
  const callOnce = async (index: number, tag: string) => {
    const { runtimeId, publicKey: key } = runtimes[index % runtimes.length] ?? runtimes[0]
    const path = `/v1/capabilities/${runtimeId}/act`
    return toAnswer(
      index % 2 === 0
        ? await client.send({ method: 'POST', path, body: { input: {} } })
        : await client.send({ method: 'POST', path: '/v1/runtime/execute', key, body: taggedBody(tag) }),
    )
  }
  const answers: DiskAnswer[] = []
  let [phase, isOver]: [Phase, boolean] = ['before', false]
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    for (let round = 0; !isOver; round += 1) {
      const during = phase
      const answer = await callOnce(index, `f${index}-${round}`)
      answers.push({ ...answer, phase: during })
      // A refusal comes at once.
      await pause(answer.isCompleted ? 5 : 50)
    }
  })
  const failing = () => answers.filter((one) => one.phase === 'failing' && !one.isCompleted)
  await pause(Math.max(500, context.count(BEFORE_MS)))
  phase = 'failing'
  await bad.begin(server.pid)
  await until(() => failing().length >= 10, 60_000)
  let failedReads = 0
  for (let index = 0; index < 20; index += 1) {
    const heard = await client.send({ method: 'GET', path: '/v1/executions?limit=20', key: owner.apiKey })
    if (statusOf(heard) !== 200) failedReads += 1
  }
  await pause(context.count(FAILING_MS, 1_500))
  await bad.end()
  const mendedAt = performance.now()
  await until(async () => (await callOnce(0, 'first')).isCompleted, 4 * RECOVERY_MS, 100)
  const recoveryS = (performance.now() - mendedAt) / 1_000
  phase = 'after'
  await until(() => answers.filter((one) => one.phase === 'after').length >= context.count(AFTER_CALLS, 30), 60_000)
  isOver = true
  await Promise.all(callers)
  // Every acknowledged execution must be there for a process that has seen nothing of the faults.
  await runningAfter(store, 15_000)
  server.kill('SIGKILL')
  const { end } = await endedWithin(server)
  await startWatched(context, world.options)
  const checks = [
    atLeast('calls refused while it lasted', failing().length, 10),
    exactly('the process lived until it was killed', end.signal === 'SIGKILL' ? 1 : 0, 1),
    exactly('reads that failed while it lasted', failedReads, 0),
    atMost('time to the first success afterwards', recoveryS, RECOVERY_MS / 1_000, 's'),
    ...judgeDisk({
      answers,
      rows: await readExecutions(store),
      calls: await readCalls(store),
      effects: endpoint.effects,
    }),
  ]
  return checks.map((check) => ({ ...check, what: `${name}: ${check.what}` }))
}

const Named = z.object({ executionId: z.string(), status: z.string().default('completed') })

function toAnswer(heard: Heard): Omit<DiskAnswer, 'phase'> {
  if (heard.kind === 'broken') return { status: null, text: heard.reason, executionId: null, isCompleted: false }
  const { status, text } = heard
  const named = Named.safeParse(parsed(text)).data
  return {
    status,
    text,
    executionId: named?.executionId ?? null,
    isCompleted: status === 200 && named?.status === 'completed',
  }
}

function statusOf(heard: Heard): number {
  return heard.kind === 'answer' ? heard.status : 0
}

const ENVELOPE = /^\{"error":\{"code":"(internal_error|rate_limit_exceeded)","message":"[^"]*"\}\}$/

export function judgeDisk(seen: {
  answers: readonly DiskAnswer[]
  rows: readonly { executionId: string; status: string }[]
  calls: readonly { callId: string }[]
  effects: readonly { callId: string }[]
}): Check[] {
  const { answers, rows, calls, effects } = seen
  const stored = new Map(rows.map(({ executionId, status }) => [executionId, status]))
  const written = new Set(calls.map(({ callId }) => callId))
  const statusIn = ({ executionId }: DiskAnswer) => stored.get(executionId ?? '')
  const toldFailed = answers.filter(({ executionId, isCompleted }) => executionId !== null && !isCompleted)
  const nameless = answers.filter(({ executionId, status }) => executionId === null && status !== null)
  const texts = (list: readonly DiskAnswer[]) => list.map(({ status, text }) => `${status} ${text}`)
  const repeated = effects.length - new Set(effects.map(({ callId }) => callId)).size
  return [
    none(
      'calls that failed once it had recovered',
      texts(answers.filter((one) => one.phase === 'after' && !one.isCompleted)),
    ),
    none(
      'executions told as completed and not stored so',
      texts(answers.filter((one) => one.isCompleted && statusIn(one) !== 'completed')),
    ),
    none(
      'executions told as failed and stored as completed',
      texts(toldFailed.filter((one) => statusIn(one) === 'completed')),
    ),
    none('executions told as failed and not stored', texts(toldFailed.filter((one) => statusIn(one) === undefined))),
    exactly(
      'calls that reached the endpoint and are not stored',
      effects.filter(({ callId }) => !written.has(callId)).length,
      0,
    ),
    exactly('calls that reached the endpoint twice', repeated, 0),
    none(
      'answers that are no answer of the door and no envelope',
      texts(nameless.filter(({ text }) => !ENVELOPE.test(text))),
    ),
    none('connections broken off', texts(answers.filter(({ status }) => status === null))),
    exactly('executions left `running`', rows.filter(({ status }) => status === 'running').length, 0),
  ]
}

/** A disk that something else fills to the last byte while calls are under way; the server is killed, and starts again. */
async function startOnFullDisk(context: ScenarioContext, folder: string): Promise<Check[]> {
  const endpoint = await startCallCounter(context, { outputBytes: 4_000, afterMs: LOOK_MS + 2_000 })
  const variables = { SVC_LIMIT_FREE_DISK_BYTES: String(48 * 1024 * 1024) }
  const world = await openCalledWorld(context, { endpoint: endpoint.url, variables, store: mountedStore(folder) })
  const client = createClient(world.server.url, 22)
  context.onEnd(client.close)
  await pause(LOOK_MS)
  const path = `/v1/capabilities/${world.runtimes[0].runtimeId}/act`
  const ask = (to = client) => to.send({ method: 'POST', path, body: { input: {} } })
  const underWay = Array.from({ length: 20 }, () => ask())
  await pause(LOOK_MS / 2)
  fill(folder, 0)
  await pause(LOOK_MS)
  const refused = await ask()
  const settled = (await Promise.all(underWay)).map(statusOf)
  world.server.kill('SIGKILL')
  await endedWithin(world.server)
  const next = await startWatched(context, world.options)
  const again = createClient(next.url, 2)
  context.onEnd(again.close)
  const read = await again.send({ method: 'GET', path: '/v1/executions?limit=20', key: world.owner.apiKey })
  await pause(LOOK_MS)
  const refusedAgain = await ask(again)
  await runAdmin(world.options, ['prune'])
  return [
    exactly(
      'full start: calls under way that were answered and settled',
      settled.filter((one) => one === 200).length,
      20,
    ),
    exactly('full start: a new call, its status', statusOf(refused), 429),
    exactly('full start: the next server reads, its status', statusOf(read), 200),
    exactly('full start: a new call there, its status', statusOf(refusedAgain), 429),
    exactly('full start: executions left `running`', await runningAfter(world.store, 15_000), 0),
  ]
}
