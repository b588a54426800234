import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Need, needs } from '@svc/testkit/needs'
import { expect, onTestFinished, test } from 'vitest'
import { ENDPOINT_BODY, IN_ANSWER, IN_OUTPUT, MODEL_STREAM } from '../../src/bench/broker/bodies.ts'
import { tryOnce } from '../../src/bench/broker/canary.ts'
import { brokerContender, candidatesOf, executeContender, proxyContender } from '../../src/bench/broker/candidates.ts'
import { countEntered } from '../../src/bench/broker/entered.ts'
import { loadTable } from '../../src/bench/broker/tables.ts'
import { noneFailed } from '../../src/bench/load/marks.ts'
import { startFixedAnswers } from '../../src/bench/load/nginx.ts'
import { freePlacement } from '../../src/bench/load/pinning.ts'
import { measureRounds } from '../../src/bench/load/rounds.ts'
import { startBenchProgram } from '../../src/bench/load/start-program.ts'
import { copyWithoutBatches, copyWithoutWrites } from '../../src/bench/service/altered.ts'
import { type Service, startService } from '../../src/bench/service/service.ts'
import { readTurn } from '../../src/bench/streams/measure-streams.ts'
import { sourceOf } from '../../src/bench/streams/streams.ts'
import type { Engine } from '../../src/support/arguments.ts'
import { startPostgresCluster } from '../../src/support/postgres-cluster.ts'
import { runScenarios } from '../../src/support/run-scenarios.ts'
import { atLeast, type Check, exactly, type ScenarioContext } from '../../src/support/scenario.ts'

const serverFolder = fileURLToPath(new URL('../../../server/dist/', import.meta.url))

test('the built server still has what the copies for comparison change', () => {
  const context = { serverFolder, onEnd: (cleanUp: () => unknown) => onTestFinished(() => void cleanUp()) }
  const copies = [copyWithoutBatches(context), copyWithoutWrites(context)]
  expect(copies.filter((folder) => existsSync(join(folder, 'main.js')))).toEqual(copies)
})

async function measureCalls(context: ScenarioContext, service: Service, upstreamUrl: string): Promise<Check[]> {
  const proxy = await startBenchProgram(context.env, 'bare-proxy', { upstream: upstreamUrl, sign: true })
  context.onEnd(() => proxy.stop())
  const contenders = [proxyContender('proxy', proxy), brokerContender('svc', service, upstreamUrl)]
  await tryOnce(contenders, IN_OUTPUT)
  await tryOnce([executeContender('svc', service)], IN_ANSWER)
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-smoke-'))
  context.onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const how = { folder, connections: 4, placement: freePlacement() }
  const candidates = candidatesOf(context, contenders, how)
  const measured = await measureRounds(candidates, { rounds: 1, seconds: 1, rest: () => Promise.resolve() })
  context.table(loadTable('calls', measured, 'proxy'))
  const answered = measured.get('svc')?.[0]?.requests ?? 0
  const [row] = await service.store.query(`select count(*) as found from executions where status = 'completed'`)
  return [
    noneFailed('failed', measured, ['proxy', 'svc']),
    atLeast('calls', answered, 1),
    atLeast('completed executions stored', Number(row?.['found']), answered),
  ]
}

async function measureStreams(context: ScenarioContext, service: Service): Promise<Check[]> {
  const turn = await readTurn(context.env, sourceOf(service), {
    streams: 10,
    rampMs: 50,
    processors: freePlacement().rest,
  })
  return [exactly('complete streams', turn.streams.filter(({ isComplete }) => isComplete).length, 10)]
}

async function runSmoke(context: ScenarioContext): Promise<Check[]> {
  const upstream = await startFixedAnswers(context.env, {
    '/svc': { type: 'application/json', body: ENDPOINT_BODY },
    '/v1/chat/completions': { type: 'text/event-stream', body: MODEL_STREAM },
  })
  context.onEnd(() => upstream.stop())
  const cluster = context.engine === 'postgres' ? await startPostgresCluster() : null
  if (cluster) context.onEnd(() => cluster.remove())
  const endpoints = [`${upstream.url}/svc`, `${upstream.url}/svc`]
  const options = { engine: context.engine, cluster, serverFolder, endpoints, modelUrl: upstream.url }
  const service = await startService(context, options)
  return [
    ...(await measureCalls(context, service, upstream.url)),
    ...(await measureStreams(context, service)),
    atLeast('functions entered by a call', await countEntered(context, { upstream, cluster }, context.engine), 50),
  ]
}

describeMeasured('sqlite', 'wrk', 'nginx', 'taskset')
describeMeasured('postgres', 'wrk', 'nginx', 'taskset', 'postgres-programs')

function describeMeasured(engine: Engine, ...needed: readonly Need[]): void {
  needs(...needed)(`calls and streams (${engine})`, () => {
    test('are measured', async () => {
      const engines = [engine]
      const smoke = { name: 'smoke', title: 'a little of everything', engines, tables: ['calls'], run: runSmoke }
      const given = {
        seed: 1,
        only: null,
        engines,
        scale: 1,
        limitMs: 3_600_000,
        allowsSkips: false,
        resultsFile: null,
        serverFolder: null,
        pages: [],
      }
      const around = { env: process.env, serverFolder, now: Date.now, write: () => {} }
      const outcomes = await runScenarios([smoke], { ...given, isList: false, isHelp: false }, around)
      expect(outcomes.map(({ engine }) => engine)).toEqual(engines)
      expect(outcomes.flatMap(({ checks }) => checks.filter(({ passed }) => !passed))).toEqual([])
    }, 300_000)
  })
}
