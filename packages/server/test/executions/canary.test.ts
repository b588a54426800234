import { readFileSync } from 'node:fs'
import { type DoubleTurn, type RecordedModelRequest, startOpenAiDouble } from '@svc/testkit'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { openModel } from '../../src/model/open-model.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createTestPlace, describeEngines, type TestEngine } from '../support/engines.ts'
import { dumpTables, type Scene, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'
import { storedCalls } from '../support/stored-calls.ts'

/** What somebody says, in every place that holds words of a conversation. */
const WORDS = 'canary-words-of-a-person "ä/%'
const TOKEN = 'canary-token-of-an-end-user "ä/%'
const MODEL_KEY = 'sk-canary-key-of-the-model'
const FIRST_PASSWORD = 'canary-first-password "ä/%'
const SECOND_PASSWORD = 'canary-second-password "ä/%'
const ROUNDS = 17

const text = { role: 'user', parts: [{ type: 'text', content: `Tell me: ${WORDS}` }] }
const history = [
  text,
  {
    role: 'assistant',
    parts: [
      { type: 'text', content: WORDS },
      { type: 'tool_call', id: 'c1', name: 'plain', input: { q: WORDS } },
    ],
  },
  { role: 'tool', parts: [{ type: 'tool_result', toolCallId: 'c1', name: 'plain', output: { words: WORDS } }] },
  text,
]

const EVERY = ['plain', 'echoes', 'fails', 'breaks', 'unsafe-headers'] as const

/** What an endpoint does that has no secrets from anybody. */
const handle = {
  plain: () => ({ output: 'plain' }),
  echoes: ({ endUserToken = '' }: { endUserToken?: string | undefined }) => ({
    output: { token: endUserToken, list: [`Bearer ${endUserToken}`, ...encoded(endUserToken)] },
  }),
  fails: ({ endUserToken = '' }: { endUserToken?: string | undefined }) => ({ error: `Nobody knows ${endUserToken}.` }),
  breaks: ({ endUserToken }: { endUserToken?: string | undefined }) =>
    ({ fault: 'status', status: 500, body: `{"error":${JSON.stringify(endUserToken ?? '')}}` }) as const,
  'unsafe-headers': ({ endUserToken = '' }: { endUserToken?: string | undefined }) => {
    const headers = { 'x-token': encodeURIComponent(endUserToken), 'set-cookie': 'canary=1' }
    return { fault: 'status', status: 200, headers, body: '{"output":1}' } as const
  },
}

/** A provider that answers, calls every capability, refuses in words, breaks off, and says errors, in turn. */
function script(_: RecordedModelRequest, index: number): DoubleTurn {
  const usage = { inputTokens: 3, outputTokens: 2 }
  const turns: DoubleTurn[] = [
    { text: WORDS, usage },
    { text: WORDS, toolCalls: EVERY.map((name) => ({ name, input: {} })), usage },
    { fault: { type: 'status', status: 400, message: `refused: ${WORDS} ${MODEL_KEY}` } },
    { text: WORDS, fault: { type: 'cut', afterBytes: 400, by: 'drop' } },
    { text: WORDS, fault: { type: 'error_event', message: `${WORDS} ${MODEL_KEY}` } },
  ]
  return turns[index % turns.length] ?? { text: 'ok' }
}

async function setCanaryScene(engine: TestEngine) {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  onTestFinished(() => database.close())
  const double = await startOpenAiDouble({ script })
  onTestFinished(() => double.close())
  const lines: string[] = []
  const model = await openModel({
    spec: 'openai-compatible:test-model',
    env: { SVC_MODEL_BASE_URL: double.baseUrl, SVC_MODEL_API_KEY: MODEL_KEY },
    limits: DEFAULT_LIMITS,
  })
  const scene = await setScene(database, {
    tier: 'enterprise',
    model,
    log: (line) => lines.push(line),
    handle,
    manifest: { capabilities: EVERY.map((name) => capability(name)) },
  })
  return { ...scene, double, lines, place }
}

/** Sixteen requests: every route, with what it may carry, and with what it must refuse. */
function fire({
  execute,
  executeAsOwner,
  broker,
  call,
  service,
  runtime,
  owner,
}: Scene): Promise<LightMyRequestResponse>[] {
  const endUserToken = TOKEN
  const stream = { headers: { accept: 'text/event-stream' } }
  return [
    execute({ messages: [text], endUserToken }),
    execute({ messages: history, endUserToken }),
    execute({ messages: [text], endUserToken }, stream),
    executeAsOwner({ messages: [{ role: 'system', parts: [{ type: 'text', content: WORDS }] }, text] }),
    ...EVERY.map((name) => broker(name, { endUserToken })),
    ...EVERY.map((name) => call({ capability: name, endUserToken })),
    execute({ messages: [{ role: 'user', parts: [{ type: 'text', content: [WORDS] }] }], endUserToken: [TOKEN] }),
    call({ capability: 'plain', endUserToken: { [TOKEN]: WORDS } }),
    broker('plain', { endUserToken: TOKEN.repeat(1_000) }),
    service.send('POST', '/v1/runtime/execute', { key: runtime.deployKey, body: { messages: [text], endUserToken } }),
    service.send('POST', `/v1/runtime/execute?token=${TOKEN}`, { key: owner.apiKey, body: {} }),
  ]
}

/** Whatever the service hands out once, by name: keys of every kind, secrets and sessions, as they are replaced and misused. */
async function handedOut({ service, owner, runtime }: Scene): Promise<Record<string, string>> {
  const said = async (url: string, body: object, key?: string) =>
    (await service.send('POST', url, { ...(key && { key }), body })).json()
  const ofRuntime = (action: string, body: object) =>
    said(`/v1/runtimes/${runtime.runtimeId}/${action}`, { graceSeconds: 600, ...body }, owner.apiKey)
  const email = 'canary@example.com'
  const first = await said('/v1/auth/sign-up', { email, password: FIRST_PASSWORD })
  const passwords = { currentPassword: FIRST_PASSWORD, newPassword: SECOND_PASSWORD }
  const second = await said('/v1/account/password', passwords, first.token)
  await said('/v1/auth/sign-in', { email, password: FIRST_PASSWORD })
  await said('/v1/auth/sign-in', { email, password: [SECOND_PASSWORD] })
  const third = await said('/v1/auth/sign-in', { email, password: SECOND_PASSWORD })
  const accountKey = await said('/v1/account/keys', { name: 'Canary' }, third.token)
  const values = {
    'the first session': first.token,
    'the second session': second.token,
    'the third session': third.token,
    'the further account key': accountKey.key,
    'the rotated deploy key': (await ofRuntime('rotate-key', { type: 'deploy' })).key,
    'the rotated public key': (await ofRuntime('rotate-key', { type: 'public' })).key,
    'the rotated secret': (await ofRuntime('rotate-secret', {})).secret,
  }
  for (const value of Object.values(values)) {
    const headers = { cookie: `svc_session=${value}`, 'x-key': value, origin: `https://${value}.example.com` }
    await service.send('GET', `/v1/runtimes/${value}?cursor=${value}`, { key: value, headers })
    await said('/v1/auth/sign-in', { email: value, password: value })
  }
  return { ...values, 'the first password': FIRST_PASSWORD, 'the second password': SECOND_PASSWORD }
}

/** The forms in which an endpoint may hand a token back. */
function encoded(token: string): string[] {
  const bytes = Buffer.from(token)
  return [
    ...[bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')],
    ...[encodeURIComponent(token), JSON.stringify(token)],
  ]
}

/** A text as it may stand in a file, a URL, a JSON text or a header, whole or as its first word. */
function spellings(canary: string): string[] {
  const bytes = Buffer.from(canary)
  // What stands inside a longer text in base64 depends on where it begins.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  const [firstWord = canary] = canary.split(' ')
  return [firstWord, encodeURIComponent(firstWord), bytes.toString('hex'), ...shifted]
}

function found(canaries: Readonly<Record<string, string>>, where: Readonly<Record<string, string>>): string[] {
  return Object.entries(where).flatMap(([place, content]) =>
    Object.entries(canaries).flatMap(([name, canary]) =>
      spellings(canary).some((spelling) => content.includes(spelling)) ? [`${name} in ${place}`] : [],
    ),
  )
}

async function tracesOf({ service, owner }: Scene): Promise<string> {
  const { db } = service.deps
  const rows = await db.selectFrom('executions').select('execution_id').execute()
  const traces = await Promise.all(
    rows.map((row) => service.send('GET', `/v1/executions/${row.execution_id}`, { key: owner.apiKey })),
  )
  return traces.map(({ body }) => body).join('\n')
}

describeEngines('after hundreds of executions of every kind', (engine) => {
  // holds KEY-04, SVC-03, SVC-11, SVC-12
  test('no message text, token, key or secret is in the database, the log, a trace, a refusal or a prompt', {
    timeout: 240_000,
  }, async () => {
    const scene = await setCanaryScene(engine)
    const { database, owner, runtime, service, double, lines, place } = scene
    const answers: LightMyRequestResponse[] = []
    const handed = await handedOut(scene)
    for (let round = 0; round < ROUNDS; round += 1) answers.push(...(await Promise.all(fire(scene))))
    // Once more with outcomes that cannot be written, which is when a service logs the most.
    await sql`alter table usage_journal rename to usage_journal_gone`.execute(database.db)
    answers.push(...(await Promise.all(fire(scene))))
    await sql`alter table usage_journal_gone rename to usage_journal`.execute(database.db)
    await service.deps.settlements.retryQueued()

    const ended = await database.db.selectFrom('executions').select('status').execute()
    expect(ended.length).toBeGreaterThan(250)
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['completed', 'failed']))
    expect(scene.endpoint.effects.filter((call) => call.endUserToken === TOKEN).length).toBeGreaterThan(175)

    const inLoops = (await storedCalls(database)).filter(({ step }) => step > 0)
    expect(inLoops.length).toBeGreaterThan(60)

    const keys = {
      'the deploy key': runtime.deployKey,
      'the public key': runtime.publicKey,
      'the account key': owner.apiKey,
      'the signing secret': runtime.secret,
      'the master key': service.masterKey.toString('base64'),
      'the model key': MODEL_KEY,
      'the token': TOKEN,
      ...handed,
    }
    const refusals = answers.filter(({ statusCode }) => statusCode !== 200).map(({ body }) => body)
    const failures = answers.flatMap(({ body }) => body.match(/"error":\{[^}]*\}/g) ?? [])
    const kept = {
      'the database': await dumpTables(database),
      'the log': lines.join('\n'),
      'the traces': await tracesOf(scene),
      'the refusals': refusals.join('\n'),
      'the failures': failures.join('\n'),
      ...(engine.name === 'sqlite' && {
        'the file': readFileSync(place.location, 'utf8'),
        'the write-ahead log': readFileSync(`${place.location}-wal`, 'utf8'),
      }),
    }
    expect(kept['the log']).toContain('an outcome could not be written')
    expect(found({ ...keys, 'the words': WORDS }, kept)).toEqual([])
    const prompts = double.requests.map(({ body }) => JSON.stringify(body)).join('\n')
    expect(prompts).toContain(JSON.stringify(WORDS).slice(1, -1))
    expect(found(keys, { 'the prompts': prompts })).toEqual([])
  })
})
