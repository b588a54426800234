import { Checkout } from '@svc/contract'
import { createOwner } from '../../support/owner.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { endedWithin, startServer } from '../../support/server.ts'
import { createStore } from '../../support/store.ts'
import { type Stage, setStage } from '../support/stage.ts'
import { readOperations } from './api-operations.ts'
import type { AttackedServer } from './attacked.ts'
import { type Browser, cookieTargets, mintKey, openBrowser } from './browser.ts'
import { hiddenTargets, WEBHOOK_SECRET } from './hidden-routes.ts'
import type { Ground } from './scenery.ts'
import { apiTargets, type Target } from './targets.ts'

/** Everything that is attacked, and who lives there. */
export interface Grounds {
  stage: Stage
  /** The stage's server, and one with a payment provider in place of the test checkout. */
  attacked: readonly AttackedServer[]
  targets: readonly Target[]
  /** What callers need to lay their scenery, but for what differs from one to the next. */
  ground: Omit<Ground, 'serial' | 'values'>
  browser: Browser
}

export async function openGrounds(context: ScenarioContext): Promise<Grounds> {
  const stage = await setStage(context, { variables: { SVC_OPS_PORT: '0' } })
  stage.endpoint.failEvery(5)
  const paid = await startPaid(context)
  // Before the attack, which is told to wait at the sign-in before long.
  const owner = await openBrowser(stage, 'browser@example.com', 'enterprise')
  const changer = await openBrowser(stage, 'changer@example.com', 'free')
  const { port, url, opsUrl } = stage.server
  if (opsUrl === null) throw new Error('the server has no operations port')
  const operations = readOperations(await (await fetch(`${url}/openapi.json`)).json())
  return {
    stage,
    attacked: [stage, paid],
    targets: [
      ...apiTargets(operations, port),
      ...cookieTargets(operations, port, { owner, changer }),
      ...hiddenTargets({ service: port, operations: Number(new URL(opsUrl).port), paid: paid.server.port }),
    ],
    ground: { apiKey: await mintKey(stage, owner), endpoint: stage.endpoint.url, operations },
    browser: owner,
  }
}

async function startPaid({ engine, env, serverFolder, onEnd }: ScenarioContext): Promise<AttackedServer> {
  const store = await createStore(engine, env)
  onEnd(() => store.remove())
  const variables = { STRIPE_SECRET_KEY: 'sk_test_harness', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET }
  const server = await startServer({ store, serverFolder, env, variables })
  onEnd(async () => {
    server.kill()
    await endedWithin(server)
  })
  return { server, store }
}

const TOKEN = /name="token" value="([^"]+)"/
const FILE = /"\/?(?:dashboard\/)?(assets\/[^"]+\.js)"/

/** What the routes for browsers name: a file of the dashboard, and a checkout of a caller's own. */
export async function findHidden(stage: Stage, caller: number): Promise<ReadonlyMap<string, string>> {
  const { url } = stage.server
  const payer = await createOwner(stage.options, `payer-${caller}@example.com`, 'free')
  const answer = await fetch(`${url}/v1/billing/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${payer.apiKey}` },
    body: JSON.stringify({
      tier: 'pro',
      successUrl: 'https://shop.example.com/a',
      cancelUrl: 'https://shop.example.com/b',
    }),
  })
  const checkout = Checkout.parse(await answer.json())
  const testCheckoutToken = TOKEN.exec(await (await fetch(checkout.url)).text())?.[1]
  const dashboardFile = FILE.exec(await (await fetch(`${url}/dashboard`)).text())?.[1]
  if (testCheckoutToken === undefined) throw new Error('the page of the test checkout has no token')
  if (dashboardFile === undefined) throw new Error('the dashboard names no file of its own: is it built?')
  return new Map(Object.entries({ testCheckoutId: checkout.checkoutId, testCheckoutToken, dashboardFile }))
}
