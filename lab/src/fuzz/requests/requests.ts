import fc from 'fast-check'
import { countAlive, errorLines, stopServer } from '../../support/environment.ts'
import { usageOf } from '../../support/process-usage.ts'
import type { Random } from '../../support/random.ts'
import {
  atLeast,
  atMost,
  type Check,
  exactly,
  none,
  type Scenario,
  type ScenarioContext,
} from '../../support/scenario.ts'
import { sum } from '../../support/statistics.ts'
import { createFixtures, type FuzzTarget, openFuzzTarget } from './fuzz-target.ts'
import { type AnswerFault, FAULTS, faultOf } from './judge-answer.ts'
import { type Mutated, mutations, unchanged } from './mutations.ts'
import { RawConnection, toBytes } from './raw.ts'
import type { Target } from './targets.ts'

const REQUESTS = 50_000
const FEWEST_REQUESTS = 1_000
const CALLERS = 8
/** Requests revoke keys and redeploy runtimes: after this many a caller creates new fixtures. */
const REQUESTS_PER_FIXTURES = 150
const SHOWN_FAULTS = 10
/** Until a target has succeeded once, most of its requests are unchanged: a refusal reaches little code. */
const MUTATED_BEFORE = 0.2
const GROWTH_MB = 250
const RATE_LIMITED_SHARE = 0.05

/** Operations that cannot be carried out here, or not each time, by the reason. */
const NEVER_SERVED: Readonly<Record<string, readonly string[]>> = {
  'a caller with a key has no password': ['changePassword'],
  'a caller with a key has no session': [
    ...['startTwoFactor', 'stopTwoFactor', 'confirmTwoFactor', 'revokeSession', 'revokeOtherSessions'],
    ...['deleteAccount', 'leaveAccount', 'inviteMember', 'changeMember', 'removeMember', 'revokeInvitation'],
  ],
  'the server sends no mails': ['askForPasswordReset', 'confirmPasswordReset'],
  'no device waits for its owner': ['pollDeviceLogin', 'getWaitingDevice', 'answerDevice'],
  'no invitation is open': ['readInvitation', 'acceptInvitation'],
  'the owner is on the largest plan: there is nothing to pay for': ['startCheckout', 'verifyCheckout'],
  'an account has six a minute, which other requests may use up': ['examineEndpoint', 'examineRuntime'],
  'an account has five, which requests of the same kind may have made': ['createWebhook'],
  'every caller needs the webhook: these requests name one that nobody has': ['deleteWebhook'],
  'a caller’s other requests need it: these do not confirm its name': ['deleteRuntime', 'deleteProject'],
}

interface Tally {
  sent: number
  statuses: Map<number, number>
  faults: Record<keyof typeof FAULTS, number>
  /** Targets that were carried out at least once. */
  served: Set<string>
  /** Connections that brought more than the answers to what was asked. */
  leftovers: number
}

function newTally(): Tally {
  const faults = { 'server-error': 0, envelope: 0, internals: 0, injected: 0, unanswered: 0 }
  return { sent: 0, statuses: new Map(), faults, served: new Set(), leftovers: 0 }
}

interface Attack {
  fuzzTarget: FuzzTarget
  context: ScenarioContext
  tally: Tally
  wanted: number
}

export const requests: Scenario = {
  name: 'requests',
  title: 'any request to any route is answered in the one envelope',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const fuzzTarget = await openFuzzTarget(context)
    const { server } = fuzzTarget.environment
    const tally = newTally()
    const attack = { fuzzTarget, context, tally, wanted: context.count(REQUESTS, FEWEST_REQUESTS) }
    const memoryMb = () => usageOf(server.pid).residentBytes / 1024 / 1024
    const before = memoryMb()
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(attack, context.random.fork(), caller)))
    const excused = Object.values(NEVER_SERVED).flat()
    const notServed = () => fuzzTarget.targets.filter(({ name }) => ![...tally.served, ...excused].includes(name))
    for (const target of notServed()) await sendUnchanged(attack, target)
    const grownMb = memoryMb() - before
    const alive = await countAlive(server)
    const lines = errorLines(await stopServer(server))
    context.say(`answers by status: ${JSON.stringify(Object.fromEntries(tally.statuses))}`)
    return [
      atLeast('requests', tally.sent, attack.wanted),
      none(
        'operations that were never carried out',
        notServed().map(({ name }) => name),
      ),
      ...judgeTally(tally),
      none(
        'lines of the log that tell of a fault',
        lines.map((line) => line.slice(0, 600)),
      ),
      exactly('calls to the owner with a header of the caller’s', fuzzTarget.injected(), 0),
      exactly('servers alive at the end', alive, 1),
      atMost('memory grown', grownMb, GROWTH_MB, 'MB'),
    ]
  },
}

/** Checks that enough requests were served and refused, and that every answer was well-formed. */
function judgeTally(tally: Tally): Check[] {
  const share = (from: number, to: number) =>
    sum([...tally.statuses].map(([status, count]) => (status >= from && status < to ? count : 0))) / tally.sent
  const kinds = Object.keys(FAULTS) as (keyof typeof FAULTS)[]
  return [
    atLeast('share of requests that were served', share(200, 300), 0.05),
    atLeast('share of requests that were refused', share(400, 500), 0.2),
    atMost('share of requests that were too many', share(429, 430), RATE_LIMITED_SHARE),
    ...kinds.map((kind) => exactly(FAULTS[kind], tally.faults[kind], 0)),
    exactly('connections that brought more than their answers', tally.leftovers, 0),
  ]
}

async function call(attack: Attack, random: Random, caller: number): Promise<void> {
  const { fuzzTarget, tally, wanted } = attack
  const connections = new Map<number, RawConnection>()
  const drop = (port: number) => {
    connections.get(port)?.destroy()
    connections.delete(port)
  }
  const connect = (port: number) => {
    const known = connections.get(port)
    if (known?.isUsable) return known
    if (known?.hasLeftovers) tally.leftovers += 1
    drop(port)
    const connection = new RawConnection(port)
    connections.set(port, connection)
    return connection
  }
  for (let serial = 0; tally.sent < wanted; serial += 1) {
    const fixtures = await createFixtures(fuzzTarget)
    const drawn = fc.sample(mutations, { seed: random.int(0, 0x7fffffff), numRuns: REQUESTS_PER_FIXTURES })
    for (const [index, mutate] of drawn.entries()) {
      const target = fuzzTarget.targets[(serial * REQUESTS_PER_FIXTURES + index + caller) % fuzzTarget.targets.length]
      if (target === undefined || tally.sent >= wanted) break
      const good = target.request(fixtures, random)
      const wasServed = tally.served.has(target.name) || random.chance(MUTATED_BEFORE)
      const mutated = (wasServed ? mutate : unchanged)(good, target.queryParameters)
      if (!(await sendOne(attack, connect(target.port), target, mutated))) drop(target.port)
    }
  }
  for (const port of connections.keys()) drop(port)
}

/** Once more with new fixtures: other requests may have revoked the key of each earlier one. */
async function sendUnchanged(attack: Attack, target: Target): Promise<void> {
  const good = target.request(await createFixtures(attack.fuzzTarget), attack.context.random)
  const connection = new RawConnection(target.port)
  await sendOne(attack, connection, target, unchanged(good, target.queryParameters))
  connection.destroy()
}

/** True where the connection may be used again. */
async function sendOne(attack: Attack, connection: RawConnection, target: Target, mutated: Mutated): Promise<boolean> {
  const { tally, fuzzTarget } = attack
  const { request, isFramingBroken } = mutated
  const isHead = request.method === 'HEAD'
  const reply = await connection.exchange(toBytes(request), isHead)
  const fault = faultOf(reply, {
    ...target,
    mayCloseUnanswered: isFramingBroken,
    isHead,
    insides: [fuzzTarget.environment.store.location],
    ownersInsides: [new URL(fuzzTarget.endpoint).host],
  })
  const status = reply.kind === 'answer' ? reply.answer.status : null
  countAnswer(tally, target.name, status, fault)
  if (fault) report(attack, target, mutated, `${fault.kind}: ${fault.problem}`)
  return reply.kind === 'answer' && reply.isOpen && !isFramingBroken
}

function countAnswer(tally: Tally, target: string, status: number | null, fault: AnswerFault | null): void {
  tally.sent += 1
  if (fault) tally.faults[fault.kind] += 1
  if (status === null) return
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  // A browser that has sent a form is sent on with 303.
  if ((status >= 200 && status < 300) || status === 303) tally.served.add(target)
}

function report({ context, tally }: Attack, { name }: Target, { request, mutation }: Mutated, problem: string): void {
  const shown = sum(Object.values(tally.faults))
  if (shown > SHOWN_FAULTS) return
  const bytes = toBytes(request)
    .toString('latin1')
    .replace(/Bearer [^\s;]+/g, 'Bearer …')
  context.say(`${name}, ${mutation}: ${problem}\n    ${JSON.stringify(bytes.slice(0, 700))}`)
}
