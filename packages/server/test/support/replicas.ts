import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { LEASE_MS, RENEWAL_MS } from '../../src/executions/node-lease.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { borrowForTest, type TestEngine } from './engines.ts'
import { actions, type Scene, type SceneOptions, setScene } from './scene.ts'
import { startService, type TestService } from './service.ts'

/** A scene and a second service on its database, under the same master key and the same clock. */
export interface ReplicatedScene {
  a: Scene
  /** The same owner and runtime, reached through the other replica. */
  b: Scene
}

/** On PostgreSQL each has connections of its own; on SQLite, which has one server at a time, they share the one there is. */
export async function setReplicatedScene(engine: TestEngine, options: SceneOptions = {}): Promise<ReplicatedScene> {
  const { database: first, place } = await borrowForTest(engine)
  const second = engine.name === 'sqlite' ? first : await open(() => openDatabase(place.options))
  const masterKey = randomBytes(32)
  const a = await setScene(first, { masterKey, ...options })
  const service = await startReplica(second, a, options)
  return { a, b: { ...a, ...actions(service, { ...a, database: second }), database: second, service } }
}

async function startReplica(database: Database, first: Scene, options: SceneOptions): Promise<TestService> {
  const { masterKey, clock } = first.service
  const { limits = {} } = options
  const payments = options.payments ? { payments: options.payments } : {}
  const service = await startService(database, { limits, masterKey, clock, ...payments })
  onTestFinished(() => service.close())
  // The embedded store takes each server that starts for the only one: the first one has to come back.
  await first.service.renew()
  // Each counts the other then.
  await service.renew()
  return service
}

/** Has a node renew its lease until those of nodes that renewed none have run out, and take over what these ran. */
export async function takeOver({ clock, renew }: TestService): Promise<void> {
  for (let passed = 0; passed < LEASE_MS; passed += RENEWAL_MS) {
    clock.advance(RENEWAL_MS)
    await renew()
  }
  clock.advance(1)
  await renew()
}

async function open(begin: () => Promise<Database>): Promise<Database> {
  const database = await begin()
  onTestFinished(() => database.close())
  return database
}
