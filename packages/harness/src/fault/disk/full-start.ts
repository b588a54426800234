import { setTimeout as pause } from 'node:timers/promises'
import { createClient, type Heard } from '../../support/client.ts'
import { atLeast, type Check, exactly, type ScenarioContext, skipped } from '../../support/scenario.ts'
import { endedWithin, runAdmin } from '../../support/server.ts'
import { startCallCounter } from '../call-counter.ts'
import { runningAfter } from '../rows.ts'
import { openWorld, startWatched } from '../world.ts'
import { createSmallDisk } from './bad-disks.ts'

const CALLS = 20
// Reserve, and the mark under which nothing is taken, on a disk of 128 MB.
const MARK = { SVC_LIMIT_FREE_DISK_BYTES: String(48 * 1024 * 1024) }
// Longer than from one look at the disk to the next.
const LOOK_MS = 3_000

/** A disk that something else fills to the last byte while calls are under way; the server is killed, and starts again. */
export async function startOnFullDisk(context: ScenarioContext): Promise<Check[]> {
  const small = createSmallDisk(context)
  if ('cannot' in small) return [skipped('full start', small.cannot, context)]
  const endpoint = await startCallCounter({ outputBytes: 4_000, afterMs: LOOK_MS + 2_000 })
  context.onEnd(endpoint.close)
  const world = await openWorld(context, { endpoint: endpoint.url, variables: MARK, store: small.store })
  const client = createClient(world.server.url, CALLS + 2)
  context.onEnd(client.close)
  await pause(LOOK_MS)
  const { runtimeId } = world.runtimes[0]
  const ask = (to = client) =>
    to.send({ method: 'POST', path: `/v1/capabilities/${runtimeId}/act`, body: { input: {} } })
  const underWay = Array.from({ length: CALLS }, () => ask())
  await pause(LOOK_MS / 2)
  small.fill()
  await pause(LOOK_MS)
  const refused = await ask()
  const settled = await Promise.all(underWay)
  world.server.kill('SIGKILL')
  await endedWithin(world.server)
  const next = await startWatched(context, world.options)
  const again = createClient(next.url, 2)
  context.onEnd(again.close)
  const { apiKey: key } = world.owner
  const read = await again.send({ method: 'GET', path: '/v1/executions?limit=20', key })
  // As in a running server, the disk is looked at as soon as it runs.
  await pause(LOOK_MS)
  const refusedAgain = await ask(again)
  await runAdmin(world.options, ['prune'])
  return [
    atLeast('full start: calls under way that were answered and settled', settled.filter(isOk).length, CALLS),
    exactly('full start: a new call, its status', statusOf(refused), 429),
    exactly('full start: the next server reads, its status', statusOf(read), 200),
    exactly('full start: a new call there, its status', statusOf(refusedAgain), 429),
    exactly('full start: executions left `running`', await runningAfter(world.store, 15_000), 0),
  ]
}

function isOk(heard: Heard): boolean {
  return statusOf(heard) === 200
}

function statusOf(heard: Heard): number {
  return heard.kind === 'answer' ? heard.status : 0
}
