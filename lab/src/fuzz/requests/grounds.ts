import { AccountKeyList, abbreviateKey, Checkout, CreatedAccountKey, CreatedRuntime } from '@svc/contract'
import { z } from 'zod'
import type { ScenarioContext } from '../../support/scenario.ts'
import { until } from '../../support/within.ts'
import { capability, createOwner, openWorld, post, type World } from '../../support/world.ts'
import { type Stage, setStage } from '../stage.ts'
import { type Browser, cookieTargets, openBrowser, send } from './browser.ts'
import {
  type ApiOperation,
  apiTargets,
  hiddenTargets,
  readOperations,
  type Scenery,
  type Target,
  WEBHOOK_SECRET,
} from './targets.ts'

/** Everything that is attacked. */
export interface Grounds {
  stage: Stage
  /** The stage's server, and one with a payment provider in place of the test checkout. */
  attacked: readonly Pick<World, 'server' | 'store'>[]
  targets: readonly Target[]
  operations: readonly ApiOperation[]
  apiKey: string
  browser: Browser
}

export async function openGrounds(context: ScenarioContext): Promise<Grounds> {
  const stage = await setStage(context, { variables: { SVC_OPS_PORT: '0' } })
  stage.endpoint.failEvery = 5
  const paid = await openWorld(context, {
    variables: { STRIPE_SECRET_KEY: 'sk_test_lab', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
  })
  // Before the attack, which is told to wait at the sign-in before long.
  const owner = await openBrowser(stage, 'browser@example.com', 'enterprise')
  const changer = await openBrowser(stage, 'changer@example.com', 'free')
  const { port, url, opsUrl } = stage.server
  if (opsUrl === null) throw new Error('the server has no operations port')
  const operations = readOperations(await (await fetch(`${url}/openapi.json`)).json())
  const minted = await send(`${url}/v1/account/keys`, { name: 'Lab' }, { ...owner })
  return {
    stage,
    attacked: [stage, paid],
    targets: [
      ...apiTargets(operations, port),
      ...cookieTargets(operations, port, { owner, changer }),
      ...hiddenTargets({ service: port, operations: Number(new URL(opsUrl).port), paid: paid.server.port }),
    ],
    operations,
    apiKey: CreatedAccountKey.parse(await minted.json()).key,
    browser: owner,
  }
}

const TOKEN = /name="token" value="([^"]+)"/
const FILE = /"\/?(?:dashboard\/)?(assets\/[^"]+\.js)"/

/** The names in the routes for browsers: a file of the dashboard, and a checkout of a caller's own. */
export async function findHidden({ server: { url }, options }: Stage, caller: number): Promise<[string, string][]> {
  const payer = await createOwner(options, `payer-${caller}@example.com`, 'free')
  const urls = { successUrl: 'https://shop.example.com/a', cancelUrl: 'https://shop.example.com/b' }
  const checkout = Checkout.parse(await post(`${url}/v1/billing/checkout`, payer.apiKey, { tier: 'pro', ...urls }))
  const testCheckoutToken = TOKEN.exec(await (await fetch(checkout.url)).text())?.[1]
  const dashboardFile = FILE.exec(await (await fetch(`${url}/dashboard`)).text())?.[1]
  if (testCheckoutToken === undefined) throw new Error('the page of the test checkout has no token')
  if (dashboardFile === undefined) throw new Error('the dashboard names no file of its own: is it built?')
  return Object.entries({ testCheckoutId: checkout.checkoutId, testCheckoutToken, dashboardFile })
}

/** An account may have fifty keys, and good requests make some of their own. */
async function revokeSpareKeys(url: string, apiKey: string): Promise<void> {
  const answer = await fetch(`${url}/v1/account/keys?limit=100`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { keys } = AccountKeyList.parse(await answer.json())
  const spare = keys.filter(({ prefix, revokedAt }) => revokedAt === null && prefix !== abbreviateKey(apiKey))
  for (const { keyId } of spare) await post(`${url}/v1/account/keys/${keyId}/revoke`, apiKey, {})
}

const Asked = z.object({ approval: z.object({ approvalId: z.string(), approvalKey: z.string() }) })
const Streamed = z.object({ executionId: z.string(), resumeKey: z.string() })
const AccountKey = z.object({ keyId: z.string() })
const TRIES_MS = 20_000

/** Streams a detached execution to its end, and returns what names it. */
async function streamDetached(url: string, publicKey: string): Promise<z.infer<typeof Streamed>> {
  const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }]
  const answer = await fetch(`${url}/v1/runtime/execute`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${publicKey}`,
    },
    body: JSON.stringify({ messages, detach: true }),
  })
  const [, first = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? []
  return Streamed.parse(JSON.parse(first))
}

/** Registers a runtime, deploys to it and calls it once, so that every id that a path can name is there. */
export async function layScenery(
  { stage, operations, apiKey }: Grounds,
  hidden: readonly [string, string][],
): Promise<Scenery> {
  const { url } = stage.server
  const endpoint = stage.endpoint.url
  const { deployKey, publicKey, runtimeId, projectId } = CreatedRuntime.parse(
    await post(`${url}/v1/runtimes`, apiKey, { name: 'Fuzzed', endpoint }),
  )
  await revokeSpareKeys(url, apiKey)
  const { keyId } = AccountKey.parse(await post(`${url}/v1/account/keys`, apiKey, { name: 'Fuzzed' }))
  // The name in the examples, so that they call something.
  const call = operations.find(({ operationId }) => operationId === 'callOwnCapability')
  const { capability: name, endUserToken } = z
    .object({ capability: z.string(), endUserToken: z.string() })
    .parse(call?.example)
  const website = { name: 'Shop', url: 'https://shop.example.com' }
  const [asked] = capability('asks-first').capabilities
  const manifest = {
    schemaVersion: 2,
    website,
    capabilities: [...capability(name).capabilities, { ...asked, confirm: true }],
  }
  // A deployment waits for those of the same account, of which broken ones take until their bodies are given up.
  const isDeployed = await until(
    () =>
      post(`${url}/v1/deployments`, deployKey, { manifest }).then(
        () => true,
        () => false,
      ),
    TRIES_MS,
    2_000,
  )
  if (!isDeployed) throw new Error('a deployment was refused again and again')
  const { approval } = Asked.parse(
    await post(`${url}/v1/runtime/capability`, publicKey, { capability: 'asks-first', input: {}, endUserToken }),
  )
  const own = {
    ...approval,
    ...(await streamDetached(url, publicKey)),
    runtimeId,
    projectId,
    capability: name,
    keyId,
    endpoint,
  }
  return {
    keys: { public: undefined, accountKey: apiKey, deployKey, publicKey },
    // A user code too short to be one: tries at whole codes are limited to a few.
    values: new Map([...hidden, ...Object.entries({ ...own, userCode: 'WDJB-MJH' })]),
  }
}
