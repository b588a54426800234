import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedRuntime } from '@svc/contract'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { type Client, createClient, type Heard } from '../../../support/client.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { startServer } from '../../../support/server.ts'
import { createSqliteStore } from '../../../support/store.ts'
import { forEachAtOnce } from '../../../support/within.ts'
import { addRuntime, capability, createOwner, type Site } from '../../../support/world.ts'
import { startCanaries } from '../canaries.ts'
import { startDnsServer } from '../dns-server.ts'
import type { SsrfReport } from '../report.ts'
import { CANARIES_V4, CANARIES_V6, drawSpellings, PUBLIC_V4, WILDCARD_ZONE } from '../spellings.ts'

const Task = z.object({
  seed: z.number(),
  spellings: z.number(),
  rebindings: z.number(),
  serverFolder: z.string(),
  keyFile: z.string(),
  certificateFile: z.string(),
})
type Task = z.infer<typeof Task>

const REBINDING_ZONE = 'rebind.test'
const CONTROL = [`https://${PUBLIC_V4}/svc`, 'https://good.test/svc']
/** Inside in every way: by itself, and as IPv6 that carries or translates IPv4. */
const EMBEDDED = [...CANARIES_V4, ...CANARIES_V6, '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '2001:0:a9fe:a9fe::1']
const CONTROL_EVERY = 50
const CALLERS = 8
/** Fewer than an endpoint is judged by, so that none of them is spared for failing. */
const CALLS_AT_ONE_ADDRESS = 9
const REDIRECTS = ['301', '302', '303', '307', '308', '300', '304', '200', '201']

/** Attacks a service of its own in this network namespace, whose every address is a canary. */
export async function runInside(taskText: string, env: NodeJS.ProcessEnv): Promise<SsrfReport> {
  const task = Task.parse(JSON.parse(taskText))
  const random = createRandom(task.seed)
  const tls = { key: readFileSync(task.keyFile, 'utf8'), cert: readFileSync(task.certificateFile, 'utf8') }
  const canaries = await startCanaries(tls)
  const report = newReport()
  const answers = random.fork()
  await startDnsServer((name, kind) => resolve(report, answers, name, kind))
  const store = createSqliteStore()
  const variables = { SVC_ALLOW_LOCAL_ENDPOINTS: '0', NODE_EXTRA_CA_CERTS: task.certificateFile }
  const options = { store, serverFolder: task.serverFolder, env, variables }
  const server = await startServer(options)
  try {
    const owner = await createOwner(options, 'owner@example.com', 'enterprise')
    const client = createClient(server.url, CALLERS)
    const attack: Attack = { site: { server, owner }, client, folder: store.location, canaries, random, report }
    report.canaries = EMBEDDED.length
    report.canariesAwake = await canaries.tryOut(EMBEDDED)
    await trySpellings(attack, task)
    await tryRedirects(attack)
    await tryRebinding(attack, task)
    return { ...report, hits: Object.fromEntries(canaries.hits) }
  } finally {
    server.kill()
    await store.remove()
  }
}

interface Attack {
  site: Site
  client: Client
  /** Folder of the server's database. */
  folder: string
  canaries: Awaited<ReturnType<typeof startCanaries>>
  random: Random
  report: SsrfReport
}

async function trySpellings(attack: Attack, { spellings }: Task): Promise<void> {
  const { site, client, random, report, folder } = attack
  const runtime = await addRuntime(site, undefined)
  for (const [index, endpoint] of drawSpellings(spellings, random).entries()) {
    if (index % CONTROL_EVERY === 0) await control(attack)
    if (await register(attack, runtime, endpoint)) report.registered += 1
    const body = { manifest: { schemaVersion: 2, ...capability('act'), endpoint } }
    const heard = await client.send({ method: 'POST', path: '/v1/deployments', key: runtime.deployKey, body })
    if (isTaken(heard)) report.deployed += 1
    // An address that both refuse is written past them: the guard of the call has to hold by itself.
    else forceEndpoint(folder, runtime.runtimeId, endpoint)
    await callThrough(attack, runtime)
    report.dispatched += 1
  }
}

function forceEndpoint(folder: string, runtimeId: string, endpoint: string): void {
  const database = new Database(join(folder, 'svc.db'), { timeout: 5_000 })
  const sql = 'update runtimes set endpoint = ?, revision = revision + 1 where runtime_id = ?'
  const { changes } = database.prepare(sql).run(endpoint, runtimeId)
  database.close()
  if (changes !== 1) throw new Error(`${runtimeId} is not there`)
}

/** Calls the address that may be reached: an attack that nothing can reach shows nothing. */
async function control(attack: Attack): Promise<void> {
  const { site, canaries, report } = attack
  for (const endpoint of CONTROL) {
    const runtime = await addRuntime(site, endpoint)
    const before = canaries.publicRequests
    const status = await callThrough(attack, runtime)
    report.controlCalls += 1
    if (status === 200 && canaries.publicRequests === before + 1) report.controlReached += 1
  }
}

async function tryRedirects(attack: Attack): Promise<void> {
  const { site, canaries, report } = attack
  const runtime = await addRuntime(site, undefined)
  for (const status of REDIRECTS) {
    for (const inside of [...CANARIES_V4, ...CANARIES_V6.map((address) => `[${address}]`)]) {
      const to = `${report.redirects % 2 === 0 ? 'http' : 'https'}://${inside}/latest`
      await register(attack, runtime, `https://${PUBLIC_V4}/redirect/${status}?to=${encodeURIComponent(to)}`)
      const before = canaries.publicRequests
      await callThrough(attack, runtime)
      report.redirects += 1
      if (canaries.publicRequests === before + 1) report.redirectsReached += 1
    }
  }
}

async function tryRebinding(attack: Attack, { rebindings }: Task): Promise<void> {
  const { site, canaries, report } = attack
  const before = canaries.publicRequests
  await forEachAtOnce(Array.from({ length: CALLERS }), CALLERS, async (_, caller) => {
    const runtime = await addRuntime(site, undefined)
    for (let calls = 0; report.rebindings < rebindings; calls += 1) {
      const host = `r${caller}-${Math.floor(calls / CALLS_AT_ONE_ADDRESS)}.${REBINDING_ZONE}`
      if (calls % CALLS_AT_ONE_ADDRESS === 0) await register(attack, runtime, `https://${host}/svc`)
      report.rebindings += 1
      await callThrough(attack, runtime)
    }
  })
  report.rebindingsReached = canaries.publicRequests - before
}

/** True where the address was taken. */
async function register({ client, site }: Attack, { runtimeId }: CreatedRuntime, endpoint: string): Promise<boolean> {
  const body = { runtimeId, name: 'Lab', endpoint }
  return isTaken(await client.send({ method: 'POST', path: '/v1/runtimes', key: site.owner.apiKey, body }))
}

function isTaken(heard: Heard): boolean {
  if (heard.kind !== 'answer' || heard.status >= 500) throw new Error(`no answer: ${JSON.stringify(heard)}`)
  return heard.status < 300
}

/** Lets the service call the runtime's endpoint through the broker. */
async function callThrough({ client, report }: Attack, { runtimeId }: CreatedRuntime): Promise<number> {
  const path = `/v1/capabilities/${runtimeId}/act`
  const heard = await client.send({ method: 'POST', path, body: { input: {} } })
  if (heard.kind !== 'answer') throw new Error(`a call broke off: ${heard.reason}`)
  if (heard.status === 429 || heard.text.includes('calls to it are paused')) report.spared += 1
  return heard.status
}

/** Wildcards spell their address; names that change are answered anew each time: outside, inside, or both. */
function resolve(report: SsrfReport, random: Random, name: string, kind: 'A' | 'AAAA'): readonly string[] {
  if (name === 'good.test') return [PUBLIC_V4]
  if (name.endsWith(`.${WILDCARD_ZONE}`)) return wildcard(name)
  if (!name.endsWith(`.${REBINDING_ZONE}`)) return []
  const inside = kind === 'A' ? random.pick(CANARIES_V4) : random.pick(CANARIES_V6)
  const draw = random.next()
  if (draw >= (kind === 'A' ? 0.5 : 0.05)) return kind === 'A' ? [PUBLIC_V4] : []
  report.privateAnswers += 1
  if (draw < 0.35 || kind === 'AAAA') return [inside]
  return draw < 0.42 ? [PUBLIC_V4, inside] : [inside, PUBLIC_V4]
}

function wildcard(name: string): readonly string[] {
  const v6 = /v6-([0-9a-f-]+)-z\./.exec(name)?.[1]
  if (v6 !== undefined) return [v6.replaceAll('-', ':')]
  const v4 = /(\d+-\d+-\d+-\d+)\./.exec(name)?.[1]
  return v4 === undefined ? [] : [v4.replaceAll('-', '.')]
}

function newReport(): SsrfReport {
  const calls = { controlCalls: 0, controlReached: 0, redirects: 0, redirectsReached: 0, registered: 0, deployed: 0 }
  const names = { rebindings: 0, privateAnswers: 0, rebindingsReached: 0 }
  return { canaries: 0, canariesAwake: 0, dispatched: 0, spared: 0, ...calls, ...names, hits: {} }
}
