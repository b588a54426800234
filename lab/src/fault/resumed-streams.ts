import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExecuteResponse } from '@svc/contract'
import { Pool } from 'undici'
import { freePort } from '../support/programs.ts'
import type { Random } from '../support/random.ts'
import { type Check, counted, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import type { ServerProcess } from '../support/server.ts'
import type { Store } from '../support/store.ts'
import { forEachAtOnce, until } from '../support/within.ts'
import { type CalledWorld, openCalledWorld, startWatched, stopServer } from '../support/world.ts'
import { HOSTS, isOk, startBalancer } from './balancer.ts'
import { playSlowly, speakTurn, startCallCounter, startModelDouble, taggedBody } from './doubles.ts'
import { readExecutions, runningAfter } from './rows.ts'

const STREAMS = 1_000
const AT_ONCE = 200
const LONGEST_TEXT = 40
const USAGE = { inputTokens: 50, outputTokens: 20 }
/** Part of every word: it may be in no store, log or file. */
const MARK = 'unmistakable'
const READY_MS = 60_000

/** What one stream told, over all its connections. */
interface HeardRun {
  tag: string
  ids: number[]
  /** Types of events, and the text of those that have some. */
  told: string[]
  done: ExecuteResponse | null
  connections: number
  executionId: string
  resumeKey: string
}

export const resumedStreams: Scenario = {
  name: 'resumed-streams',
  title: 'Streams that are cut at random events and resumed have the transcripts of uncut ones',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const random = context.random.fork()
    const model = await startModelDouble(context, (tag, index) => {
      const words = wordsOf(tag)
      const asks = index === 0 && callsOf(tag)
      const turn = asks ? { text: words.slice(0, 1), toolCalls: [{ name: 'act' }] } : { text: words }
      return playSlowly(speakTurn(turn, USAGE), 5 + (wordCount(tag) % 20))
    })
    const endpoint = await startCallCounter(context, { afterMs: 20 })
    const variables = { ...model.serverEnv, SVC_LIMIT_ENDPOINT_CALLS: '400', SVC_LOG_LEVEL: 'info' }
    if (context.engine === 'sqlite') {
      const world = await openCalledWorld(context, { endpoint: endpoint.url, variables })
      return playAll(context, random, {
        ...world,
        servers: [world.server],
        name: 'one server',
        urlsOf: () => world.server.url,
      })
    }
    const place = { port: await freePort(), opsPort: await freePort() }
    const balanced = await openReplicas(context, { place, endpoint: endpoint.url, variables, areKnown: false })
    const balancer = await startBalancer(context, place)
    const behind = await playAll(context, random, { ...balanced, name: 'behind HAProxy', urlsOf: () => balancer })
    const known = await openReplicas(context, {
      place: { port: await freePort(), opsPort: await freePort() },
      endpoint: endpoint.url,
      variables,
      areKnown: true,
    })
    const anyOf = () => known.servers[random.int(0, known.servers.length - 1)]?.url ?? known.server.url
    return [...behind, ...(await playAll(context, random, { ...known, name: 'any replica', urlsOf: anyOf }))]
  },
}

type Stage = CalledWorld & { name: string; servers: ServerProcess[]; urlsOf: () => string }

interface ReplicaOptions {
  place: { port: number; opsPort: number }
  endpoint: string
  variables: Readonly<Record<string, string>>
  areKnown: boolean
}

async function openReplicas(context: ScenarioContext, { place, endpoint, variables, areKnown }: ReplicaOptions) {
  const variablesAt = (host: string) => ({
    ...variables,
    ...{ HOST: host, SVC_OPS_HOST: host, PORT: String(place.port), SVC_OPS_PORT: String(place.opsPort) },
    ...(areKnown && { SVC_NODE_URL: `http://${host}:${place.port}` }),
  })
  const [first, ...others] = HOSTS
  const world = await openCalledWorld(context, { endpoint, variables: variablesAt(first) })
  const servers = [world.server]
  for (const host of others) {
    const options = { ...world.options, variables: { ...world.options.variables, ...variablesAt(host) } }
    const server = await startWatched(context, options)
    await until(() => isOk(`${server.opsUrl}/ready`), READY_MS, 100)
    servers.push(server)
  }
  return { ...world, servers }
}

async function playAll(context: ScenarioContext, random: Random, stage: Stage): Promise<Check[]> {
  const count = context.count(STREAMS, 20)
  // The model counts the requests of a tag.
  const prefix = stage.name.replaceAll(' ', '-')
  const tags = Array.from({ length: count }, (_, index) => `${prefix}${index}-${random.int(1, LONGEST_TEXT)}`)
  const runs: HeardRun[] = []
  const pools = new Map<string, Pool>()
  const poolOf = (url: string) => {
    const known = pools.get(url) ?? new Pool(url, { connections: null, pipelining: 1 })
    pools.set(url, known)
    return known
  }
  const cuts = tags.map((tag) => random.int(1, wordCount(tag) + 1))
  const key = stage.runtimes[0].publicKey
  await forEachAtOnce(tags, AT_ONCE, async (tag, index) => {
    runs.push(await hearRun({ poolOf, urlsOf: stage.urlsOf, key }, tag, cuts[index] ?? 1))
  })
  const running = await runningAfter(stage.store, 20_000)
  const logs = await Promise.all(stage.servers.map(stopServer))
  await Promise.all([...pools.values()].map((pool) => pool.destroy()))
  const kept = [...logs.map(({ stderr, stdout }) => stderr + stdout), ...(await everythingIn(stage.store))]
  return judge(stage, { runs, running, rows: await readExecutions(stage.store), kept })
}

interface Caller {
  poolOf(url: string): Pool
  urlsOf(): string
  key: string
}

/** Reads a stream, and leaves it after so many events for another connection; half of them once more. */
async function hearRun({ poolOf, urlsOf, key }: Caller, tag: string, cutAfter: number): Promise<HeardRun> {
  const heard: HeardRun = { tag, ids: [], told: [], done: null, connections: 1, executionId: '', resumeKey: '' }
  const authorization = `Bearer ${key}`
  const first = await poolOf(urlsOf()).request({
    method: 'POST',
    path: '/v1/runtime/execute',
    headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ ...taggedBody(tag), detach: true }),
  })
  await hearConnection(heard, first.body, cutAfter)
  const furtherCuts = cutAfter % 2 === 0 ? [cutAfter / 2, Number.POSITIVE_INFINITY] : [Number.POSITIVE_INFINITY]
  for (const cut of furtherCuts) {
    if (heard.done !== null) break
    heard.connections += 1
    const { statusCode, body } = await poolOf(urlsOf()).request({
      method: 'GET',
      path: `/v1/runtime/executions/${heard.executionId}/events`,
      headers: { authorization, 'x-svc-resume-key': heard.resumeKey, 'last-event-id': String(heard.ids.at(-1)) },
    })
    if (statusCode !== 200) throw new Error(`resuming ${tag} answered ${statusCode}: ${await body.text()}`)
    await hearConnection(heard, body, cut)
  }
  return heard
}

/** Hears at most so many events of one connection. */
async function hearConnection(heard: HeardRun, body: AsyncIterable<Buffer>, most: number): Promise<void> {
  let count = 0
  for await (const { id, event } of eventsOf(body)) {
    const { type, content, executionId, resumeKey } = event
    heard.ids.push(id)
    heard.told.push(type === 'text' ? String(content) : `<${type}>`)
    if (type === 'execution') Object.assign(heard, { executionId, resumeKey })
    if (type === 'done') heard.done = ExecuteResponse.parse(event)
    count += 1
    if (count >= most) return
  }
}

async function* eventsOf(body: AsyncIterable<Buffer>): AsyncGenerator<{ id: number; event: Record<string, unknown> }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, id, data] = /^id: (\d+)\nevent: \w+\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (data !== undefined) yield { id: Number(id), event: JSON.parse(data) }
    }
  }
}

const wordCount = (tag: string) => Number(/-(\d+)$/.exec(tag)?.[1])
const wordsOf = (tag: string) => Array.from({ length: wordCount(tag) }, (_, index) => `${MARK}-${tag}-${index} `)
const callsOf = (tag: string) => wordCount(tag) % 3 === 0

/** What an uncut stream of this tag tells. */
function expectedOf(tag: string): string[] {
  const words = wordsOf(tag)
  const called = callsOf(tag) ? [...words.slice(0, 1), '<capability_start>', '<capability_end>'] : []
  return ['<execution>', ...called, ...words, '<done>']
}

/** The bytes of SQLite's files, or every row of every table, as text. */
async function everythingIn(store: Store): Promise<string[]> {
  if (store.engine === 'sqlite') {
    return readdirSync(store.location).map((name) => readFileSync(join(store.location, name), 'latin1'))
  }
  const tables = await store.query(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  return Promise.all(tables.map(async ({ name }) => JSON.stringify(await store.query(`select * from "${name}"`))))
}

interface Evidence {
  runs: readonly HeardRun[]
  running: number
  rows: Awaited<ReturnType<typeof readExecutions>>
  kept: readonly string[]
}

function judge({ name }: Stage, { runs, running, rows, kept }: Evidence): Check[] {
  // Words that arrive from the model at once are one event.
  const isOther = ({ tag, told }: HeardRun) => told.join('') !== expectedOf(tag).join('')
  const textOf = ({ done }: HeardRun) =>
    (done?.messages ?? [])
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])))
      .join('')
  const saidBy = (run: HeardRun) => run.told.filter((text) => !text.startsWith('<')).join('')
  const completed = rows.filter(({ status }) => status === 'completed')
  return [
    exactly(`${name}, streams`, runs.length, rows.length),
    counted(
      `${name}, connections that resumed`,
      runs.reduce((sum, { connections }) => sum + connections - 1, 0),
    ),
    none(
      `${name}, transcripts unlike an uncut one’s`,
      runs.filter(isOther).map(({ tag }) => tag),
    ),
    none(
      `${name}, streams with an event missing or twice`,
      runs.filter(({ ids }) => ids.some((id, index) => id !== index + 1)).map(({ tag }) => tag),
    ),
    none(
      `${name}, ends whose text is another`,
      runs.filter((run) => textOf(run) !== saidBy(run)).map(({ tag }) => tag),
    ),
    exactly(`${name}, executions that completed`, completed.length, runs.length),
    exactly(`${name}, executions still running`, running, 0),
    none(
      `${name}, stores, logs and files with a word of it or a resume key`,
      kept.flatMap((text, index) => {
        const secrets = [MARK, ...runs.slice(0, 50).map(({ resumeKey }) => resumeKey)]
        return secrets.some((secret) => text.includes(secret)) ? [`source ${index}`] : []
      }),
    ),
  ]
}
