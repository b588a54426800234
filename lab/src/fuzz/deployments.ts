import type { CreatedRuntime, DeploymentManifestInput, JsonObject } from '@svc/contract'
import { type Client, createClient } from '../support/client.ts'
import { at } from '../support/probe.ts'
import { atLeast, atMost, type Check, counted, exactly, prefixed, type Scenario } from '../support/scenario.ts'
import { setStage } from './stage.ts'

const CONNECTIONS = 8
const MEASURED_MS = 10_000
const CAPABILITIES = 128
const SCHEMA_BYTES = 7_700
const TIMES_QUIET = 5
/** Below it, other programs of the machine decide. */
const LEAST_MS = 10

const MANY = { type: 'object', properties: fields(85, (index) => ({ type: 'string', maxLength: index + 1 })) }

/** Of manifests of about a megabyte: schemas that take little or much to compile, or to compare with those they replace. */
const LARGE: Readonly<Record<string, readonly JsonObject[]>> = {
  'long texts': [{ type: 'object', description: 'x'.repeat(SCHEMA_BYTES) }],
  'many fields': [MANY],
  'deep schemas': [deep(0), deep(1)],
}

export const deployments: Scenario = {
  name: 'deployments',
  title: 'deployments delay no other account',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const stage = await setStage(context)
    const ms = context.count(MEASURED_MS, 2_000)
    await stage.timeNeighbour(20, 1_000)
    const quiet = await stage.timeNeighbour(20, ms)
    const client = createClient(stage.server.url, CONNECTIONS)
    const checks: Check[] = [counted('neighbour’s broker call, quiet, p50', at(0.5, quiet), 'ms')]
    for (const [kind, versions] of Object.entries(LARGE)) {
      const runtimes = await Promise.all(Array.from({ length: CONNECTIONS }, () => stage.runtime()))
      const texts = versions.map((schema) => manifestOf(Array(CAPABILITIES).fill(schema)))
      const stop = deployAll(client, runtimes, texts)
      const beside = await stage.timeNeighbour(20, ms)
      const statuses = await stop()
      const odd = statuses.filter((status) => status !== 201 && status !== 429)
      const mostMs = Math.max(LEAST_MS, TIMES_QUIET * at(0.5, quiet))
      const found = [
        atLeast('deployments accepted', statuses.filter((status) => status === 201).length, 1),
        exactly('of these answered by other than 201 or 429', odd.length, 0),
        exactly('neighbour’s calls that failed meanwhile', beside.failures, 0),
        atMost('its p50 meanwhile', at(0.5, beside), mostMs, 'ms'),
      ]
      checks.push(...prefixed(`${kind}: `, found))
    }
    return checks
  },
}

/** Each deploys the texts in turn until it is stopped, which gives the statuses of the answers. */
function deployAll(
  client: Client,
  runtimes: readonly CreatedRuntime[],
  texts: readonly string[],
): () => Promise<number[]> {
  let isOver = false
  const statuses: number[] = []
  const deployers = runtimes.map(async ({ deployKey: key }) => {
    for (let round = 0; !isOver; round += 1) {
      const text = texts[round % texts.length] ?? ''
      statuses.push((await client.send({ path: '/v1/deployments', key, text })).status)
    }
  })
  return async () => {
    isOver = true
    await Promise.all(deployers)
    return statuses
  }
}

/** Fields below twenty objects, the innermost of which differs between versions. */
function deep(version: number): JsonObject {
  let schema: JsonObject = { ...MANY, required: [`field${version}`] }
  for (let depth = 0; depth < 20; depth += 1) schema = { type: 'object', additionalProperties: schema }
  return { type: 'object', properties: { [`tree${version}`]: {}, tree: schema } }
}

function fields(count: number, of: (index: number) => JsonObject): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, of(index)]))
}

function manifestOf(schemas: readonly JsonObject[]): string {
  const capabilities = schemas.map((inputSchema, index) => {
    const name = `capability-${index}`
    return { name, version: '1.0.0', description: `Does ${index}.`, actions: [{ name, inputSchema }] }
  })
  const manifest: DeploymentManifestInput = { schemaVersion: 2, capabilities }
  return JSON.stringify({ manifest })
}
