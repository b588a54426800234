import type { CreatedRuntime } from '@svc/contract'
import { type Client, createClient } from '../../support/client.ts'
import { createOwner, registerRuntime } from '../../support/owner.ts'
import { atLeast, atMost, type Check, counted, exactly, type ScenarioContext } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import type { Stage } from '../support/stage.ts'
import { drawRefusedManifest, drawSmallManifest } from './manifests.ts'

const ATTACKERS = 4
const CONNECTIONS_EACH = 2
const DEPLOYMENTS = 30
/** A schema has a second to compile, and a thread that was stopped starts again. */
const SLOWEST_MS = 2_000

/** Free accounts send manifests that take long to refuse, while another free account deploys small ones. */
export async function refuseManifests(context: ScenarioContext, stage: Stage): Promise<Check[]> {
  const { url } = stage.server
  const [other, ...attackers] = await freeRuntimes(stage, ATTACKERS + 1)
  if (other === undefined) throw new Error('there is no other account')
  const client = createClient(url, ATTACKERS * CONNECTIONS_EACH + 1)
  context.onEnd(() => client.close())
  const small = JSON.stringify({ manifest: drawSmallManifest() })
  const slow = JSON.stringify({ manifest: drawRefusedManifest() })
  const quiet = await deployEach(client, other, { text: small, count: 5 })
  let isOver = false
  const refusals: (number | null)[] = []
  const attack = attackers
    .flatMap((runtime) => Array.from({ length: CONNECTIONS_EACH }, () => runtime))
    .map(async (runtime) => {
      while (!isOver) refusals.push((await deployed(client, runtime, slow)).status)
    })
  const beside = await deployEach(client, other, { text: small, count: context.count(DEPLOYMENTS, 8) })
  isOver = true
  await Promise.all(attack)
  return [
    atLeast('refused manifests of four accounts', refusals.filter((status) => status === 400).length, ATTACKERS),
    exactly(
      'of these answered by other than 400 or 429',
      refusals.filter((status) => status !== 400 && status !== 429).length,
      0,
    ),
    exactly('another account’s deployments refused meanwhile', beside.filter(({ status }) => status !== 201).length, 0),
    counted('its deployments, quiet, slowest', slowest(quiet), 'ms'),
    counted(
      'its deployments meanwhile, p50',
      quantile(
        beside.map(({ ms }) => ms),
        0.5,
      ),
      'ms',
    ),
    atMost('its deployments meanwhile, slowest', slowest(beside), SLOWEST_MS, 'ms'),
  ]
}

interface Deployed {
  status: number | null
  ms: number
}

/** One after the other, half a second apart. */
async function deployEach(
  client: Client,
  runtime: CreatedRuntime,
  { text, count }: { text: string; count: number },
): Promise<Deployed[]> {
  const all: Deployed[] = []
  while (all.length < count) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    all.push(await deployed(client, runtime, text))
  }
  return all
}

async function deployed(client: Client, { deployKey: key }: CreatedRuntime, text: string): Promise<Deployed> {
  const startedAt = performance.now()
  const heard = await client.send({ method: 'POST', path: '/v1/deployments', key, text })
  return { status: heard.kind === 'answer' ? heard.status : null, ms: performance.now() - startedAt }
}

function slowest(deployments: readonly Deployed[]): number {
  return Math.max(...deployments.map(({ ms }) => ms))
}

async function freeRuntimes(stage: Stage, count: number): Promise<CreatedRuntime[]> {
  const runtimes: CreatedRuntime[] = []
  for (let serial = 0; serial < count; serial += 1) {
    const owner = await createOwner(stage.options, `free-${serial}@example.com`, 'free')
    runtimes.push(await registerRuntime(stage.server.url, owner, { name: 'Free', endpoint: stage.endpoint.url }))
  }
  return runtimes
}
