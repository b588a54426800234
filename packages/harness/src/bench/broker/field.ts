import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../support/arguments.ts'
import { type PostgresCluster, startPostgresCluster } from '../../support/postgres-cluster.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { type Nginx, startFixedAnswers, startNginxProxy } from '../load/nginx.ts'
import { PINNED, type Placement, pin } from '../load/pinning.ts'
import { type BenchProgram, startBenchProgram } from '../load/start-program.ts'
import { copyWithoutBatches, copyWithoutWrites } from '../service/altered.ts'
import { type Service, startService } from '../service/service.ts'
import { ENDPOINT_BODY, MODEL_ANSWER, MODEL_STREAM } from './bodies.ts'

/** Everything that the rounds are run against, started and in its place. */
export interface Field {
  folder: string
  upstream: Nginx
  slowUpstream: BenchProgram
  nginx: Nginx
  proxy: BenchProgram
  proxyAgain: BenchProgram
  signingProxy: BenchProgram
  slowProxy: BenchProgram
  cluster: PostgresCluster | null
  services: readonly FieldService[]
  withoutBatches: Service | null
  /** Moves all of it. */
  place(placement: Placement): Promise<void>
}

export interface FieldService {
  engine: Engine
  durable: Service
  withoutWrites: Service
}

/** Where the upstream gives a gateway its answer in one body; everything else of its model is a stream. */
export const WHOLE_PREFIX = '/whole'
/** The paths that proxies are called on. */
export const ENDPOINT_PATH = '/svc'

const SLOW_MS = 20

/** Starts all of it. Each runtime may be called 6,000 times a minute, so it takes many to carry the load. */
export async function openField(context: ScenarioContext): Promise<Field> {
  const { env } = context
  const folder = mkdtempSync(join(tmpdir(), 'svc-harness-bench-'))
  context.onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const started = <T extends { stop(): Promise<void> }>(thing: T): T => {
    context.onEnd(() => thing.stop())
    return thing
  }
  const upstream = started(await startUpstream(env))
  const slow = { delayMs: SLOW_MS, type: 'application/json', body: ENDPOINT_BODY }
  const slowUpstream = started(await startBenchProgram(env, 'slow-upstream', slow))
  const proxyTo = async (url: string, sign: boolean) =>
    started(await startBenchProgram(env, 'bare-proxy', { upstream: url, sign }))
  const proxies = {
    nginx: started(await startNginxProxy(env, upstream.url)),
    proxy: await proxyTo(upstream.url, false),
    proxyAgain: await proxyTo(upstream.url, false),
    signingProxy: await proxyTo(upstream.url, true),
    slowProxy: await proxyTo(slowUpstream.url, false),
  }
  const cluster = context.engines.includes('postgres') ? await startPostgresCluster({ shared_buffers: '512MB' }) : null
  if (cluster) context.onEnd(cluster.remove)
  const services = await openServices(context, { upstream, slowUpstream, cluster })
  const field = { folder, upstream, slowUpstream, ...proxies, cluster, ...services }
  const place = (placement: Placement) => placeField(field, placement)
  await place(PINNED)
  return { ...field, place }
}

function startUpstream(env: NodeJS.ProcessEnv): Promise<Nginx> {
  return startFixedAnswers(env, {
    [ENDPOINT_PATH]: { type: 'application/json', body: ENDPOINT_BODY },
    '/v1/chat/completions': { type: 'text/event-stream', body: MODEL_STREAM },
    [`${WHOLE_PREFIX}/v1/chat/completions`]: { type: 'application/json', body: MODEL_ANSWER },
  })
}

interface Behind {
  upstream: Nginx
  slowUpstream: BenchProgram
  cluster: PostgresCluster | null
}

async function openServices(
  context: ScenarioContext,
  { upstream, slowUpstream, cluster }: Behind,
): Promise<Pick<Field, 'services' | 'withoutBatches'>> {
  const { serverFolder } = context
  const fast = Array.from({ length: context.count(100, 4) }, () => `${upstream.url}${ENDPOINT_PATH}`)
  const slow = Array.from({ length: context.count(25, 2) }, () => slowUpstream.url)
  const open = (engine: Engine, folder: string, others: readonly string[]) =>
    startService(context, {
      engine,
      cluster,
      serverFolder: folder,
      endpoints: [...fast, ...others],
      modelUrl: upstream.url,
    })
  const services: FieldService[] = []
  const copy = copyWithoutWrites(context)
  for (const engine of context.engines) {
    context.say(`starting svc on ${engine}, and its copy that writes nothing`)
    services.push({
      engine,
      durable: await open(engine, serverFolder, slow),
      withoutWrites: await open(engine, copy, []),
    })
  }
  const isSqlite = context.engines.includes('sqlite')
  return { services, withoutBatches: isSqlite ? await open('sqlite', copyWithoutBatches(context), []) : null }
}

async function placeField(field: Omit<Field, 'place'>, placement: Placement): Promise<void> {
  const { nginx, proxy, proxyAgain, signingProxy, slowProxy, withoutBatches } = field
  const services = [
    ...field.services.flatMap(({ durable, withoutWrites }) => [durable, withoutWrites]),
    ...(withoutBatches === null ? [] : [withoutBatches]),
  ].map((service) => service.server)
  const servers = [nginx, proxy, proxyAgain, signingProxy, slowProxy, ...services]
  const rest = [field.upstream.pid, field.slowUpstream.pid, ...(field.cluster?.pids() ?? [])]
  await pin(
    servers.map(({ pid }) => pid),
    placement.servers,
  )
  await pin(rest, placement.rest)
}
