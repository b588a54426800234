import { createServer } from 'node:net'
import type { JsonObject } from '@svc/contract'
import { listenOnFreePort } from '@svc/testkit'
import { type Client, createClient } from '../../support/client.ts'
import type { Check, Scenario } from '../../support/scenario.ts'
import { quantile, rounded } from '../../support/statistics.ts'
import { HEALTH, startProbe } from '../support/probe.ts'
import { errorLines, setStage } from '../support/stage.ts'
import { drawInputs } from './hostile-inputs.ts'
import { drawSchemas } from './hostile-schemas.ts'
import { type Answered, judgeSchemas } from './judge-schemas.ts'

const SCHEMAS = 300
const PROBE_EVERY_MS = 10
/** A runtime's rate is not what is tried here. */
const DEPLOYMENTS_OF_ONE_RUNTIME = 50

/** Schemas that are meant to hurt, deployed one after the other, and those that were accepted called with inputs to match. */
export const schemas: Scenario = {
  name: 'schemas',
  title: 'no schema and no input for one holds up anybody else',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const stage = await setStage(context)
    const bait = await startBait()
    context.onEnd(() => bait.close())
    const client = createClient(stage.server.url, 2)
    context.onEnd(() => client.close())
    const drawn = drawSchemas(context.count(SCHEMAS, 31), context.random, bait)
    const [deployments, calls]: [Answered[], Answered[]] = [[], []]
    let runtime = await stage.runtime('Hostile 0')
    const probe = startProbe({ port: stage.server.port, everyMs: PROBE_EVERY_MS, request: HEALTH })
    for (const [index, { family, schema }] of drawn.entries()) {
      if (index % DEPLOYMENTS_OF_ONE_RUNTIME === 0) runtime = await stage.runtime(`Hostile ${index}`)
      const deployed = await timed(client, {
        family,
        path: '/v1/deployments',
        key: runtime.deployKey,
        body: manifest(schema),
      })
      deployments.push(deployed)
      if (deployed.status !== 201) continue
      const path = `/v1/capabilities/${runtime.runtimeId}/hostile`
      for (const input of drawInputs(context.random)) calls.push(await timed(client, { family, path, body: { input } }))
    }
    const notes = await probe.stop()
    context.say(
      `health: p50 ${rounded(quantile(notes.latenciesMs, 0.5))} ms, most ${rounded(Math.max(...notes.latenciesMs))} ms`,
    )
    for (const line of slowestOf([...deployments, ...calls])) context.say(line)
    const lines = errorLines(await stage.stop()).length
    return judgeSchemas({ deployments, calls, probe: notes, fetches: bait.fetches(), errorLines: lines })
  },
}

interface Sent {
  family: string
  path: string
  key?: string
  body: unknown
}

async function timed(client: Client, { family, ...request }: Sent): Promise<Answered> {
  const startedAt = performance.now()
  const heard = await client.send({ method: 'POST', ...request })
  return { family, status: heard.kind === 'answer' ? heard.status : null, ms: performance.now() - startedAt }
}

function manifest(schema: JsonObject) {
  const action = { name: 'hostile', inputSchema: schema }
  const capability = { name: 'hostile', version: '1.0.0', description: 'Hurts.', actions: [action] }
  return { manifest: { schemaVersion: 2, capabilities: [capability] } }
}

function slowestOf(answers: readonly Answered[]): string[] {
  const slowest = [...answers].sort((one, other) => other.ms - one.ms).slice(0, 3)
  return slowest.map(({ family, status, ms }) => `slow: ${family}, ${status}, ${rounded(ms)} ms`)
}

/** Whatever connects has fetched what a schema names. */
async function startBait() {
  let fetches = 0
  const server = createServer((socket) => {
    fetches += 1
    socket.destroy()
  })
  const { url, close } = await listenOnFreePort(server)
  return { url, close, fetches: () => fetches }
}
