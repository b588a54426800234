import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExecuteResponse } from '@svc/contract'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { openServingEnvironment, type ServingEnvironment, stopServer } from '../support/environment.ts'
import { encodeTurn, startModelDouble } from '../support/model-double.ts'
import type { Random } from '../support/random.ts'
import {
  type Check,
  counted,
  exactly,
  none,
  prefixed,
  type Scenario,
  type ScenarioContext,
} from '../support/scenario.ts'
import type { ServerProcess } from '../support/server.ts'
import { startCallCounter } from '../support/serving.ts'
import { sum } from '../support/statistics.ts'
import type { Store } from '../support/store.ts'
import { forEachAtOnce } from '../support/within.ts'
import { openReplicas } from './balanced.ts'
import { taggedBody } from './executes.ts'
import { readExecutions, runningAfter } from './rows.ts'

const STREAMS = 1_000
const AT_ONCE = 200
const LONGEST_TEXT = 40
/** Part of every word: it may be in no store, log or file. */
const MARK = 'unmistakable'

export const resumedStreams: Scenario = {
  name: 'resumed-streams',
  title: 'Streams that are cut at random events and resumed have the transcripts of uncut ones',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const random = context.random.fork()
    const model = await startModelDouble(context, ({ tag, index }) => {
      const words = wordsOf(tag)
      const asks = index === 0 && callsOf(tag)
      const turn = asks ? { text: words.slice(0, 1), toolCalls: [{ name: 'act' }] } : { text: words }
      return { turn: encodeTurn(turn), pauseMs: 5 + (wordCount(tag) % 20) }
    })
    const { url: endpoint } = await startCallCounter(context, { afterMs: 20 })
    const variables = { ...model.variables, SVC_LIMIT_ENDPOINT_CALLS: '400', SVC_LOG_LEVEL: 'info' }
    if (context.engine === 'sqlite') {
      const environment = await openServingEnvironment(context, { endpoint, variables })
      const { server } = environment
      return playAll(context, random, { environment, servers: [server], name: 'one-server', urlOf: () => server.url })
    }
    const checks: Check[] = []
    for (const name of ['behind-HAProxy', 'any-replica']) {
      const areKnown = name === 'any-replica'
      const { environment, replicas, balance } = await openReplicas(context, { endpoint, variables, areKnown })
      const servers = replicas.map(({ server }) => server)
      const anyOf = () => servers[random.int(0, servers.length - 1)]?.url ?? environment.server.url
      const balancer = areKnown ? '' : await balance()
      const urlOf = areKnown ? anyOf : () => balancer
      checks.push(...(await playAll(context, random, { environment, servers, name, urlOf })))
    }
    return checks
  },
}

const wordCount = (tag: string) => Number(/-(\d+)$/.exec(tag)?.[1])
const wordsOf = (tag: string) => Array.from({ length: wordCount(tag) }, (_, index) => `${MARK}-${tag}-${index} `)
const callsOf = (tag: string) => wordCount(tag) % 3 === 0

/** The transcript of an uncut stream of this tag. Words that arrive from the model at once are one event. */
function transcriptOf(tag: string): string {
  const words = wordsOf(tag)
  const called = callsOf(tag) ? [...words.slice(0, 1), '<capability_start>', '<capability_end>'] : []
  return ['<execution>', ...called, ...words, '<done>'].join('')
}

interface Setup {
  environment: ServingEnvironment
  servers: readonly ServerProcess[]
  /** Part of the tags: the model counts the requests of each. */
  name: string
  /** Where the next connection goes. */
  urlOf(): string
}

async function playAll(context: ScenarioContext, random: Random, setup: Setup): Promise<Check[]> {
  const { name, environment, servers } = setup
  const tags = Array.from({ length: context.count(STREAMS, 20) }, (_, index) => {
    return `${name}${index}-${random.int(1, LONGEST_TEXT)}`
  })
  const cuts = tags.map((tag) => random.int(1, wordCount(tag) + 1))
  const runs: StreamReply[] = []
  await forEachAtOnce(tags, AT_ONCE, async (tag, index) => {
    runs.push(await readStream(setup, tag, cuts[index] ?? 1))
  })
  const running = await runningAfter(environment.store, 20_000)
  const logs = await Promise.all(servers.map(stopServer))
  const kept = [...logs.map(({ stderr, stdout }) => stderr + stdout), ...(await everythingIn(environment.store))]
  const completed = (await readExecutions(environment.store)).filter(({ status }) => status === 'completed')
  const secrets = [MARK, ...runs.slice(0, 50).map(({ resumeKey }) => resumeKey)]
  const leaks = kept.filter((text) => secrets.some((secret) => text.includes(secret)))
  const tagsOf = (isWrong: (run: StreamReply) => boolean) => runs.filter(isWrong).map(({ tag }) => tag)
  return prefixed(`${name}, `, [
    counted('connections that resumed', sum(runs.map(({ connections }) => connections - 1))),
    none(
      'transcripts unlike an uncut one’s',
      tagsOf(({ tag, events }) => events.join('') !== transcriptOf(tag)),
    ),
    none(
      'streams with an event missing or twice',
      tagsOf(({ ids }) => ids.some((id, index) => id !== index + 1)),
    ),
    none(
      'ends whose text is another',
      tagsOf(({ done, events }) => textOf(done) !== events.filter((text) => !text.startsWith('<')).join('')),
    ),
    exactly('executions that completed', completed.length, tags.length),
    exactly('executions still running', running, 0),
    exactly('stores, logs and files with a word of it or a resume key', leaks.length, 0),
  ])
}

/** The events of one stream, over all its connections. */
interface StreamReply {
  tag: string
  ids: number[]
  /** Types of events, and the text of those that have some. */
  events: string[]
  done: ExecuteResponse | null
  connections: number
  executionId: string
  resumeKey: string
}

function textOf(done: ExecuteResponse | null): string {
  const texts = (done?.messages ?? []).map(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])).join(''),
  )
  return texts.join('')
}

/** Reads a stream, and leaves it after so many events for another connection; half of them once more. */
async function readStream({ urlOf, environment }: Setup, tag: string, cutAfter: number): Promise<StreamReply> {
  const reply: StreamReply = { tag, ids: [], events: [], done: null, connections: 0, executionId: '', resumeKey: '' }
  const authorization = `Bearer ${environment.runtimes[0].publicKey}`
  const begin = () =>
    fetch(`${urlOf()}/v1/runtime/execute`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ ...taggedBody(tag), detach: true }),
    })
  const resume = () =>
    fetch(`${urlOf()}/v1/runtime/executions/${reply.executionId}/events`, {
      headers: { authorization, 'x-svc-resume-key': reply.resumeKey, 'last-event-id': String(reply.ids.at(-1)) },
    })
  const cuts = [cutAfter, ...(cutAfter % 2 === 0 ? [cutAfter / 2] : []), Number.POSITIVE_INFINITY]
  for (const cut of cuts) {
    if (reply.done !== null) break
    const answer = await (reply.connections === 0 ? begin() : resume())
    reply.connections += 1
    if (!answer.ok || !answer.body) throw new Error(`${tag} was answered with ${answer.status}: ${await answer.text()}`)
    await readConnection(reply, answer.body, cut)
  }
  return reply
}

/** Reads at most so many events of one connection, and closes it. */
async function readConnection(reply: StreamReply, body: ReadableStream<Uint8Array>, most: number): Promise<void> {
  let count = 0
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { id, data } of events) {
    noteEvent(reply, Number(id), JSON.parse(data))
    count += 1
    if (count >= most) return
  }
}

function noteEvent(reply: StreamReply, id: number, event: Record<string, unknown>): void {
  const { type, content, executionId, resumeKey } = event
  reply.ids.push(id)
  reply.events.push(type === 'text' ? String(content) : `<${type}>`)
  if (type === 'execution') Object.assign(reply, { executionId, resumeKey })
  if (type === 'done') reply.done = ExecuteResponse.parse(event)
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
