import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type Client, createClient, type Heard } from '../../support/client.ts'
import { usageOf } from '../../support/process-usage.ts'
import {
  atLeast,
  atMost,
  type Check,
  exactly,
  type Scenario,
  type ScenarioContext,
  skipped,
} from '../../support/scenario.ts'
import { endedWithin } from '../../support/server.ts'
import { type CallCounter, startCallCounter } from '../call-counter.ts'
import { startModelDouble } from '../model-double.ts'
import { playWhole, speakTurn } from '../model-turn.ts'
import { readCalls, readExecutions, runningAfter } from '../rows.ts'
import { taggedBody } from '../streams.ts'
import { openWorld, startWatched, type World } from '../world.ts'
import { type BadDisk, createFailingDisk, createFullDisk, FILLS_UP } from './bad-disks.ts'
import { startOnFullDisk } from './full-start.ts'
import { type DiskAnswer, judgeDisk } from './judge.ts'

const CALLERS = 16
// Longer than the node's lease: what a disk that fails for long does to it is part of the question.
const FAILING_MS = 36_000
const BEFORE_MS = 3_000
const AFTER_CALLS = 200
const RECOVERY_MS = 15_000

const USAGE = { inputTokens: 30, outputTokens: 9 }
const ASKING = speakTurn({ toolCalls: [{ name: 'act' }] }, USAGE)
const DONE = speakTurn({ text: 'Done.' }, USAGE)

/** A disk that is full, and one that fails to make durable what was written. */
export const disk: Scenario = {
  name: 'disk',
  title: 'A full disk and a failing one: nothing acknowledged is lost, and the service recovers by itself',
  engines: ['sqlite'],
  async run(context) {
    const full = createFullDisk(context)
    const checks =
      'cannot' in full ? [skipped('full disk', full.cannot, context)] : await meet(context, 'full disk', full)
    const started = await startOnFullDisk(context)
    return [...checks, ...started, ...(await meet(context, 'fsync errors', createFailingDisk()))]
  },
}

async function meet(context: ScenarioContext, name: string, bad: BadDisk): Promise<Check[]> {
  const double = await startModelDouble((_, index) => playWhole(index === 0 ? ASKING : DONE))
  context.onEnd(double.close)
  const endpoint = await startCallCounter({ outputBytes: 4_000 })
  context.onEnd(endpoint.close)
  const world = await openWorld(context, {
    endpoint: endpoint.url,
    variables: { ...double.serverEnv, ...FILLS_UP },
    store: bad.store,
  })
  const client = createClient(world.server.url, CALLERS + 2)
  context.onEnd(client.close)
  const load = startLoad(client, world)
  await pause(Math.max(500, context.count(BEFORE_MS)))
  load.enter('failing')
  await bad.begin(world.server.pid)
  await untilRefused(load.answers)
  const reading = await readWhileFailing(client, world)
  await pause(context.count(FAILING_MS, 1_500))
  const wasAlive = isAlive(world.server.pid)
  await bad.end()
  const recoveryMs = await recover(client, world)
  load.enter('after')
  await untilAnswered(load.answers, context.count(AFTER_CALLS, 30))
  await load.stop()
  const found = await judgeAfterRestart(context, world, { answers: load.answers, endpoint })
  const checks = [
    atLeast('calls refused while it lasted', found.refusedWhileFailing, 10),
    exactly('the process lives', wasAlive ? 1 : 0, 1),
    exactly('reads that failed while it lasted', reading.failed, 0),
    atMost('time to the first success afterwards', recoveryMs / 1000, RECOVERY_MS / 1000, 's'),
    exactly('calls that failed once it had recovered', found.failedAfter, 0),
    exactly('executions told as completed and not stored so', found.lost, 0),
    exactly('executions told as failed and stored as completed', found.contradicted, 0),
    exactly('executions told as failed and not stored', found.vanished, 0),
    exactly('calls that reached the endpoint and are not stored', found.unwritten, 0),
    exactly('calls that reached the endpoint twice', found.repeated, 0),
    exactly('answers that are no answer of the door and no envelope', found.shapeless, 0),
    exactly('connections broken off', found.brokenOff, 0),
    exactly('executions left `running`', found.running, 0),
  ]
  return checks.map((check) => ({ ...check, what: `${name}: ${check.what}` }))
}

interface Load {
  answers: readonly DiskAnswer[]
  enter(phase: DiskAnswer['phase']): void
  stop(): Promise<void>
}

// Half of the callers use the broker, half a conversation that calls a capability.
function startLoad(client: Client, world: World): Load {
  const answers: DiskAnswer[] = []
  let phase: DiskAnswer['phase'] = 'before'
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    for (let round = 0; !isOver; round += 1) {
      const during = phase
      const answer = await callOnce(client, world, { index, tag: `f${index}-${round}` })
      answers.push({ ...answer, phase: during })
      // A refusal comes at once; whoever hears one waits a little, as callers do.
      await pause(answer.isCompleted ? 5 : 50)
    }
  })
  return {
    answers,
    enter(next) {
      phase = next
    },
    async stop() {
      isOver = true
      await Promise.all(callers)
    },
  }
}

async function callOnce(
  client: Client,
  { runtimes }: World,
  { index, tag }: { index: number; tag: string },
): Promise<Omit<DiskAnswer, 'phase'>> {
  const { runtimeId, publicKey } = runtimes[index % runtimes.length] ?? runtimes[0]
  const heard =
    index % 2 === 0
      ? await client.send({ method: 'POST', path: `/v1/capabilities/${runtimeId}/act`, body: { input: {} } })
      : await client.send({ method: 'POST', path: '/v1/runtime/execute', key: publicKey, body: taggedBody(tag) })
  return toAnswer(heard)
}

const Named = z.object({ executionId: z.string(), status: z.string().optional() })

function toAnswer(heard: Heard): Omit<DiskAnswer, 'phase'> {
  if (heard.kind === 'broken') return { status: null, text: heard.reason, executionId: null, isCompleted: false }
  const { status, text } = heard
  const named = Named.safeParse(parsed(text))
  if (!named.success) return { status, text, executionId: null, isCompleted: false }
  const isCompleted = status === 200 && (named.data.status ?? 'completed') === 'completed'
  return { status, text, executionId: named.data.executionId, isCompleted }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function untilRefused(answers: readonly DiskAnswer[]): Promise<void> {
  const until = performance.now() + 60_000
  const refusals = () => answers.filter(({ phase, isCompleted }) => phase === 'failing' && !isCompleted).length
  while (refusals() < 10 && performance.now() < until) await pause(50)
}

async function untilAnswered(answers: readonly DiskAnswer[], count: number): Promise<void> {
  const until = performance.now() + 60_000
  const after = () => answers.filter(({ phase }) => phase === 'after').length
  while (after() < count && performance.now() < until) await pause(50)
}

async function readWhileFailing(client: Client, { owner }: World): Promise<{ failed: number }> {
  let failed = 0
  for (let index = 0; index < 20; index += 1) {
    const heard = await client.send({ method: 'GET', path: '/v1/executions?limit=20', key: owner.apiKey })
    if (heard.kind === 'broken' || heard.status !== 200) failed += 1
  }
  return { failed }
}

async function recover(client: Client, world: World): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const { isCompleted } = await callOnce(client, world, { index: 0, tag: 'first' })
    const tookMs = performance.now() - startedAt
    if (isCompleted || tookMs > 4 * RECOVERY_MS) return tookMs
    await pause(100)
  }
}

function isAlive(pid: number): boolean {
  try {
    return usageOf(pid).descriptors > 0
  } catch {
    return false
  }
}

// What was acknowledged must be there for a process that has seen nothing of the faults.
async function judgeAfterRestart(
  context: ScenarioContext,
  world: World,
  { answers, endpoint }: { answers: readonly DiskAnswer[]; endpoint: CallCounter },
) {
  await runningAfter(world.store, 15_000)
  world.server.kill('SIGKILL')
  await endedWithin(world.server)
  const next = await startWatched(context, world.options)
  const rows = await readExecutions(world.store)
  const calls = await readCalls(world.store)
  next.kill('SIGTERM')
  await endedWithin(next)
  return judgeDisk({ answers, rows, calls, effects: endpoint.effects })
}
