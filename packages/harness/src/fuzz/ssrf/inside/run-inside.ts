import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { createClient } from '../../../support/client.ts'
import { createOwner } from '../../../support/owner.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { endedWithin, startServer } from '../../../support/server.ts'
import { createSqliteStore } from '../../../support/store.ts'
import { type Canaries, startCanaries } from '../canaries.ts'
import { startDnsServer } from '../dns-server.ts'
import type { SsrfReport } from '../report.ts'
import { CANARIES_V4, CANARIES_V6, drawSpellings, PUBLIC_V4, WILDCARD_ZONE } from '../spellings.ts'
import { addRuntime, callThrough, deployTo, forceEndpoint, register, type Target } from './attack.ts'

const Task = z.object({
  seed: z.number(),
  spellings: z.number(),
  rebindings: z.number(),
  serverFolder: z.string(),
  keyFile: z.string(),
  certificateFile: z.string(),
})
type Task = z.infer<typeof Task>

interface Surroundings {
  env: NodeJS.ProcessEnv
  stderr: { write(text: string): unknown }
}

interface Attack {
  target: Target
  canaries: Canaries
  names: Names
  random: Random
  report: SsrfReport
  say(line: string): void
}

interface Names {
  privateAnswers: number
}

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
export async function runInside(taskText: string, { env, stderr }: Surroundings): Promise<SsrfReport> {
  const task = Task.parse(JSON.parse(taskText))
  const random = createRandom(task.seed)
  const tls = { key: readFileSync(task.keyFile, 'utf8'), cert: readFileSync(task.certificateFile, 'utf8') }
  const canaries = await startCanaries(tls)
  const names: Names = { privateAnswers: 0 }
  const answers = random.fork()
  const dns = await startDnsServer((name, kind) => resolve(names, answers, name, kind))
  const store = createSqliteStore()
  const variables = { SVC_ALLOW_LOCAL_ENDPOINTS: '0', NODE_EXTRA_CA_CERTS: task.certificateFile }
  const options = { store, serverFolder: task.serverFolder, env, variables }
  const server = await startServer(options)
  const client = createClient(server.url, CALLERS)
  try {
    const owner = await createOwner(options, 'owner@example.com', 'enterprise')
    const target: Target = { url: server.url, client, owner, folder: store.location }
    const say = (line: string) => void stderr.write(`${line}\n`)
    const attack: Attack = { target, canaries, names, random, report: newReport(), say }
    attack.report.canaries = EMBEDDED.length
    attack.report.canariesAwake = await canaries.tryOut(EMBEDDED)
    await trySpellings(attack, task)
    await tryRedirects(attack)
    await tryRebinding(attack, task)
    const { hits, otherConnections } = canaries
    return { ...attack.report, hits: Object.fromEntries(hits), otherConnections, privateAnswers: names.privateAnswers }
  } finally {
    server.kill()
    await endedWithin(server)
    await client.close()
    dns.close()
    canaries.close()
    await store.remove()
  }
}

async function trySpellings(attack: Attack, { spellings }: Task): Promise<void> {
  const { target, random, report } = attack
  const runtime = await addRuntime(target, 'Probe')
  for (const [index, { endpoint }] of drawSpellings(spellings, random).entries()) {
    if (index % CONTROL_EVERY === 0) await control(attack)
    report.spellings += 1
    const isRegistered = await register(target, runtime.runtimeId, endpoint)
    const isDeployed = await deployTo(target, runtime, endpoint)
    if (isRegistered) report.registered += 1
    if (isDeployed) report.deployed += 1
    // What both refuse is written past them: the guard of the call has to hold by itself.
    if (!isDeployed) forceEndpoint(target, runtime.runtimeId, endpoint)
    const { status, message } = await callThrough(target, runtime.runtimeId)
    if (status === 429 || message?.includes('paused')) report.spared += 1
    report.dispatched += 1
  }
  attack.say(
    `${report.spellings} spellings, ${report.registered} taken by registration, ${report.deployed} by deployment`,
  )
}

/** Calls the address that may be reached: an attack that nothing can reach shows nothing. */
async function control({ target, canaries, report }: Attack): Promise<void> {
  for (const endpoint of CONTROL) {
    const runtime = await addRuntime(target, 'Control', endpoint)
    const before = canaries.publicRequests
    const { status } = await callThrough(target, runtime.runtimeId)
    report.controlCalls += 1
    if (status === 200 && canaries.publicRequests === before + 1) report.controlReached += 1
  }
}

async function tryRedirects({ target, canaries, report }: Attack): Promise<void> {
  const runtime = await addRuntime(target, 'Redirect')
  for (const status of REDIRECTS) {
    for (const inside of [...CANARIES_V4, ...CANARIES_V6.map((address) => `[${address}]`)]) {
      const to = `${report.redirects % 2 === 0 ? 'http' : 'https'}://${inside}/latest`
      const endpoint = `https://${PUBLIC_V4}/redirect/${status}?to=${encodeURIComponent(to)}`
      await register(target, runtime.runtimeId, endpoint)
      const before = canaries.publicRequests
      await callThrough(target, runtime.runtimeId)
      report.redirects += 1
      if (canaries.publicRequests === before + 1) report.redirectsReached += 1
    }
  }
}

async function tryRebinding(attack: Attack, { rebindings }: Task): Promise<void> {
  const { target, canaries, report } = attack
  const before = canaries.publicRequests
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const runtime = await addRuntime(target, `Rebinding ${caller}`)
    for (let calls = 0; report.rebindings < rebindings; calls += 1) {
      const host = `r${caller}-${Math.floor(calls / CALLS_AT_ONE_ADDRESS)}.${REBINDING_ZONE}`
      if (calls % CALLS_AT_ONE_ADDRESS === 0) await register(target, runtime.runtimeId, `https://${host}/svc`)
      report.rebindings += 1
      const { status, message } = await callThrough(target, runtime.runtimeId)
      if (status === 429 || message?.includes('paused')) report.spared += 1
      if (report.rebindings % 2_000 === 0) attack.say(`${report.rebindings} dispatches to names that change`)
    }
  })
  await Promise.all(callers)
  report.rebindingsReached = canaries.publicRequests - before
}

/** Wildcards spell their address; names that change are answered anew each time: outside, inside, or both. */
function resolve(names: Names, random: Random, name: string, kind: 'A' | 'AAAA'): readonly string[] {
  if (name === 'good.test') return [PUBLIC_V4]
  if (name.endsWith(`.${WILDCARD_ZONE}`)) return wildcard(name)
  if (!name.endsWith(`.${REBINDING_ZONE}`)) return []
  const inside = kind === 'A' ? random.pick(CANARIES_V4) : random.pick(CANARIES_V6)
  const draw = random.next()
  const isInside = draw < (kind === 'A' ? 0.5 : 0.05)
  if (!isInside) return kind === 'A' ? [PUBLIC_V4] : []
  names.privateAnswers += 1
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
  return {
    canaries: 0,
    canariesAwake: 0,
    spellings: 0,
    registered: 0,
    deployed: 0,
    dispatched: 0,
    spared: 0,
    controlCalls: 0,
    controlReached: 0,
    rebindings: 0,
    privateAnswers: 0,
    rebindingsReached: 0,
    redirects: 0,
    redirectsReached: 0,
    otherConnections: 0,
    hits: {},
  }
}
