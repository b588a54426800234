import { z } from 'zod'
import { type Client, createClient } from '../../support/client.ts'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import { atLeast, type Check, exactly, type Scenario } from '../../support/scenario.ts'
import { errorLines, type Stage, setStage } from '../support/stage.ts'
import { abuseCursors, type Listed } from './cursors.ts'
import { brokenLogLines, injectLineEnds } from './inject.ts'
import { isPolluted, sendPrototypeKeys } from './prototypes.ts'

const EACH = 3

/** Line ends where headers and log lines are made, cursors of others, and keys that name a prototype. */
export const headersAndCursors: Scenario = {
  name: 'headers-and-cursors',
  title: 'no value gets out of its place, and no cursor to what is another’s',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const stage = await setStage(context, { variables: { SVC_LOG_LEVEL: 'info' } })
    const client = createClient(stage.server.url, 4)
    context.onEnd(() => client.close())
    const other = await createOwner(stage.options, 'other@example.com', 'enterprise')
    const one = await fill(stage, client, stage.owner.apiKey)
    const two = await fill(stage, client, other.apiKey)
    const [runtime] = one.runtimes
    if (runtime === undefined) throw new Error('there is no runtime')
    const cursors = await abuseCursors(client, one, two, context.random)
    const prototypes = await sendPrototypeKeys(client, stage.endpoint, `/v1/capabilities/${runtime.runtimeId}/probe`)
    const injections = await injectLineEnds(stage, runtime)
    const detail = await client.send({
      method: 'GET',
      path: `/v1/runtimes/${runtime.runtimeId}`,
      key: stage.owner.apiKey,
    })
    const end = await stage.stop()
    const faults = [...cursors.faults, ...prototypes.faults, ...injections.faults]
    for (const fault of [...faults, ...errorLines(end)].slice(0, 12)) context.say(fault.slice(0, 400))
    return [
      atLeast('values with line ends', injections.tried, 200),
      exactly('of these got out of their place', injections.faults.length, 0),
      atLeast('lines of the log', end.stderr.split('\n').length, injections.tried),
      exactly('of these are broken', brokenLogLines(end.stderr).length, 0),
      atLeast('cursors of others, whole and spoiled', cursors.tried, 400),
      atLeast('of these served, with what is the asker’s own', cursors.served, 1),
      atLeast('of these refused', cursors.refused, 1),
      exactly('of these answered wrongly', cursors.faults.length, 0),
      atLeast('payloads delivered to the byte', prototypes.delivered, 100),
      atLeast('payloads refused', prototypes.refused, 60),
      exactly('payloads changed on the way', prototypes.faults.length, 0),
      exactly(
        'objects of the server with a field from nowhere',
        detail.kind === 'answer' && isPolluted(detail.text) ? 1 : 0,
        0,
      ),
      exactly('lines of the log that tell of a fault', errorLines(end).length, 0),
    ]
  },
}

const Project = z.object({ projectId: z.string() })
const AccountKey = z.object({ keyId: z.string() })
const Call = z.object({ executionId: z.string() })

/** Gives an owner a few of everything that is listed. */
async function fill(stage: Stage, client: Client, apiKey: string): Promise<Listed> {
  const post = async (path: string, body: unknown, key?: string) => {
    const heard = await client.send({ method: 'POST', path, body, ...(key === undefined ? {} : { key }) })
    if (heard.kind !== 'answer' || heard.status >= 300) throw new Error(`${path}: ${JSON.stringify(heard)}`)
    const answer: unknown = JSON.parse(heard.text)
    return answer
  }
  const ids: string[] = []
  const runtimes: Listed['runtimes'][number][] = []
  for (let serial = 0; serial < EACH; serial += 1) {
    const owner = { ownerId: '', email: '', apiKey }
    const runtime = await registerRuntime(stage.server.url, owner, {
      name: `Shop ${serial}`,
      endpoint: stage.endpoint.url,
    })
    await deploy(stage.server.url, runtime, ['probe'])
    runtimes.push(runtime)
    const { projectId } = Project.parse(await post('/v1/projects', { name: `Shops ${serial}` }, apiKey))
    const { keyId } = AccountKey.parse(await post('/v1/account/keys', { name: `Key ${serial}` }, apiKey))
    ids.push(runtime.runtimeId, projectId, keyId)
  }
  const [first] = runtimes
  for (let serial = 0; serial < EACH; serial += 1) {
    const path = `/v1/capabilities/${first?.runtimeId}/probe`
    ids.push(Call.parse(await post(path, { input: {} })).executionId)
  }
  return { apiKey, runtimes, ids }
}
