import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { requireTools } from '../../support/tools.ts'
import { slotsOf } from '../load/figures.ts'
import { freePlacement, PINNED, type Placement, pin, requireTwoProcessors } from '../load/pinning.ts'
import { type Measured, measureRounds } from '../load/rounds.ts'
import { IN_ANSWER, IN_OUTPUT } from './bodies.ts'
import { tryOnce } from './canary.ts'
import {
  brokerContender,
  type Contender,
  candidatesOf,
  executeContender,
  peerContender,
  proxyContender,
} from './candidates.ts'
import { judgeEntered } from './entered.ts'
import { type Field, openField } from './field.ts'
import { judgeBatches, judgeCalls, judgeExecute, judgeSlow } from './judge.ts'
import { NAMES, serviceName, withoutWrites } from './names.ts'
import { startPeer } from './portkey.ts'
import { loadTable } from './tables.ts'

/** Broker calls and executes against bare proxies, nginx, a peer and copies that write nothing: one run, in turn. */
export const broker: Scenario = {
  name: 'broker',
  title: 'broker calls and executes against bare proxies, nginx and a peer gateway, in turn',
  engines: [],
  tables: ['calls', 'single', 'slow', 'execute', 'free'],
  run: runBroker,
}

const ROUNDS = 5
const CONNECTIONS = 64

async function runBroker(context: ScenarioContext): Promise<readonly Check[]> {
  requireTools(['wrk', 'nginx', 'taskset'], context.env)
  requireTwoProcessors()
  const field = await openField(context)
  const services = context.engines.map(serviceName)
  const calls = await measureCalls(context, field)
  const single = await measureSingle(context, field)
  const slow = await measureSlow(context, field)
  const execute = await measureExecute(context, field)
  const free = await measureFree(context, field)
  context.table(loadTable('calls', calls, NAMES.proxy))
  context.table(loadTable('single', single, NAMES.proxy))
  context.table(loadTable('slow', slow, NAMES.proxy))
  context.table(loadTable('execute', execute, NAMES.peer))
  context.table(loadTable('free', free, NAMES.proxy))
  return [
    ...judgeCalls(calls, services),
    ...judgeBatches(calls),
    ...judgeSlow(slow, services),
    ...judgeExecute(execute, services),
    ...(await judgeEntered(context, field)),
    ...(await judgeRows(field, [calls, single, slow, execute, free])),
  ]
}

/** At full load, and everything in its place. */
function measureCalls(context: ScenarioContext, field: Field): Promise<Measured> {
  const contenders = [
    proxyContender(NAMES.nginx, field.nginx),
    proxyContender(NAMES.proxy, field.proxy),
    proxyContender(NAMES.proxyAgain, field.proxyAgain),
    proxyContender(NAMES.signingProxy, field.signingProxy),
    ...field.services.flatMap(({ engine, durable, withoutWrites: copy }) => [
      brokerContender(serviceName(engine), durable, field.upstream.url),
      brokerContender(withoutWrites(serviceName(engine)), copy, field.upstream.url),
    ]),
    ...(field.withoutBatches ? [brokerContender(NAMES.withoutBatches, field.withoutBatches, field.upstream.url)] : []),
  ]
  return measure(context, field, { contenders, expected: IN_OUTPUT, seconds: 5 })
}

/** One request at a time. */
function measureSingle(context: ScenarioContext, field: Field): Promise<Measured> {
  const contenders = [
    proxyContender(NAMES.proxy, field.proxy),
    proxyContender(NAMES.signingProxy, field.signingProxy),
    ...durable(field, field.upstream.url),
  ]
  return measure(context, field, { contenders, expected: IN_OUTPUT, seconds: 3, connections: 1 })
}

/** At an endpoint that takes 20 ms. */
function measureSlow(context: ScenarioContext, field: Field): Promise<Measured> {
  const contenders = [proxyContender(NAMES.proxy, field.slowProxy), ...durable(field, field.slowUpstream.url)]
  return measure(context, field, { contenders, expected: IN_OUTPUT, seconds: 4 })
}

async function measureExecute(context: ScenarioContext, field: Field): Promise<Measured> {
  const peer = await startPeer(context.env)
  context.onEnd(() => peer.stop())
  await pin([peer.pid], PINNED.servers)
  const contenders = [
    peerContender(peer, field.upstream.url),
    ...field.services.map(({ engine, durable: service }) => executeContender(serviceName(engine), service)),
  ]
  return measure(context, field, { contenders, expected: IN_ANSWER, seconds: 5 })
}

/** At full load, the kernel deciding who runs where: threads beside the main one may use the other processor. */
async function measureFree(context: ScenarioContext, field: Field): Promise<Measured> {
  const placement = freePlacement()
  await field.place(placement)
  const contenders = [
    proxyContender(NAMES.nginx, field.nginx),
    proxyContender(NAMES.proxy, field.proxy),
    ...durable(field, field.upstream.url),
  ]
  return measure(context, field, { contenders, expected: IN_OUTPUT, seconds: 5, placement })
}

function durable(field: Field, endpointUrl: string): Contender[] {
  return field.services.map(({ engine, durable: service }) =>
    brokerContender(serviceName(engine), service, endpointUrl),
  )
}

// A server has some thousand times the code of a bare proxy, and V8 compiles it while it is called.
const WARM_UP_SECONDS = 10

interface Section {
  contenders: readonly Contender[]
  /** What each answer holds. */
  expected: string
  seconds: number
  connections?: number
  placement?: Placement
}

async function measure(context: ScenarioContext, field: Field, section: Section): Promise<Measured> {
  const { contenders, expected, connections = CONNECTIONS, placement = PINNED } = section
  context.say(`${contenders.map(({ name }) => name).join(' · ')}: ${connections} at once, ${placement.name}`)
  await tryOnce(contenders, expected)
  const candidates = candidatesOf(context, contenders, { folder: field.folder, connections, placement })
  for (const candidate of candidates) await candidate.load(context.count(WARM_UP_SECONDS))
  return measureRounds(candidates, {
    rounds: context.count(ROUNDS),
    seconds: context.count(section.seconds),
    rest: () => sleep(1_000),
  })
}

/** Every counted answer of a durable server must stand in its store, and none in that of a copy that writes nothing. */
async function judgeRows(field: Field, sections: readonly Measured[]): Promise<Check[]> {
  const checks: Check[] = []
  for (const { engine, durable: service, withoutWrites: copy } of field.services) {
    const name = serviceName(engine)
    const slots = sections.flatMap((measured) => (measured.has(name) ? slotsOf(measured, name) : []))
    const answered = slots.reduce((sum, { requests }) => sum + requests, 0)
    checks.push(
      atLeast(`completed executions stored by ${name}`, await countRows(service, COMPLETED), answered),
      exactly(`failed executions stored by ${name}`, await countRows(service, FAILED), 0),
      exactly(`executions stored by ${withoutWrites(name)}`, await countRows(copy, ANY), 0),
    )
  }
  return checks
}

const COMPLETED = `select count(*) as found from executions where status = 'completed'`
// The load's last calls of each slot are left by their caller.
const FAILED = `select count(*) as found from executions where status = 'failed' and finish_reason <> 'cancelled'`
const ANY = 'select count(*) as found from executions'

async function countRows(service: Field['services'][number]['durable'], sql: string): Promise<number> {
  const [row] = await service.store.query(sql)
  return Number(row?.['found'])
}
