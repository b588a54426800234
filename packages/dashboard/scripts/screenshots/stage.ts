import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreatedRuntime } from '@svc/contract'
import { startShop } from '../../../../examples/shop/src/index.ts'
import { createOwner } from '../../../server/src/accounts/accounts.ts'
import { demoModel } from '../../../server/src/model/demo-model.ts'
import { type Model, ModelError } from '../../../server/src/model/model.ts'
import type { Database } from '../../../server/src/store/database.ts'
import { findWebFiles } from '../../../server/src/web/web-files.ts'
import { PASSWORD, startService, type TestService } from '../../../server/test/support/service.ts'
import { createStageClock, type StageClock } from './stage-clock.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** As `npm run demo -- --serve` has them. */
const PORTS = { service: 8787, shop: 8788 }

/** A service and the shop, with what a week of visitors left behind. */
export interface Stage {
  url: string
  shopUrl: string
  owner: { email: string; password: string }
  runtimeId: string
  /** Before each picture: nothing else keeps the service’s lease. */
  renew(): Promise<void>
  close(): Promise<void>
}

/** What the week is played with. */
export interface Cast {
  service: TestService
  clock: StageClock
  runtime: CreatedRuntime
  /** While it holds, the model refuses whatever it is asked. */
  setModelBusy(isBusy: boolean): void
}

/** Sets the stage: the shop deploys a week ago, `play` fills the days between, and the clock ends where it is now. */
export async function setStage(database: Database, play: (cast: Cast) => Promise<void>): Promise<Stage> {
  const clock = createStageClock()
  const model = await slowModel(clock)
  const url = `http://127.0.0.1:${PORTS.service}`
  const modelPrices = { inputPerMillion: 0.15, outputPerMillion: 0.6 }
  const service = await startService(database, { web: findWebFiles(), clock, model, modelPrices, baseUrl: url })
  await service.app.listen({ host: '127.0.0.1', port: PORTS.service })
  const folder = mkdtempSync(join(tmpdir(), 'svc-stage-'))
  const shop = await startShop({ port: PORTS.shop, databaseFile: join(folder, 'shop.sqlite'), now: clock.lookSlowly })

  const email = 'owner@shop.example.com'
  const { owner, apiKey } = await createOwner(service.deps, { email, tier: 'pro' })
  await service.signedIn(owner)
  const body = { name: 'Hollow Pine', endpoint: `${shop.url}/svc` }
  const created = await service.send('POST', '/v1/runtimes', { key: apiKey.reveal(), body })
  const runtime = CreatedRuntime.parse(created.json())
  shop.connect({ ...runtime, baseUrl: url })
  await deploy({ SVC_API_KEY: runtime.deployKey, SVC_BASE_URL: url, SHOP_ENDPOINT: body.endpoint })
  await play({ service, clock, runtime, setModelBusy: model.setBusy })
  return {
    url,
    shopUrl: shop.url,
    owner: { email, password: PASSWORD },
    runtimeId: runtime.runtimeId,
    renew: service.renew,
    async close() {
      await shop.close()
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function deploy(variables: Record<string, string>): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables }
  const cwd = join(ROOT, 'examples/shop')
  await promisify(execFile)(process.execPath, [join(ROOT, 'packages/cli/bin/svc.js'), 'deploy'], { cwd, env })
}

/** The demo model, as slow by the clock as one that thinks. */
async function slowModel(clock: StageClock): Promise<Model & { setBusy(isBusy: boolean): void }> {
  const demo = await demoModel()
  let busy = false
  return {
    provider: demo.provider,
    name: demo.name,
    setBusy(isBusy) {
      busy = isBusy
    },
    async stream(request, emit) {
      clock.spend(500, 1_900)
      if (busy) throw new ModelError('The model is rate limited at the moment.')
      await demo.stream(request, emit)
    },
  }
}
