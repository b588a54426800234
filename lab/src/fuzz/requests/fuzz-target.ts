import { setTimeout as pause } from 'node:timers/promises'
import {
  AccountKeyList,
  abbreviateKey,
  CreatedRuntime,
  CreatedWebhook,
  WebhookDeliveryList,
  WebhookList,
} from '@svc/contract'
import { z } from 'zod'
import { createClient } from '../../support/client.ts'
import { capability, get, openEnvironment, post, saying } from '../../support/environment.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { answerJson, startServing } from '../../support/serving.ts'
import { INJECTED } from './judge-answer.ts'
import { apiTargets, type Fixtures, hiddenTargets, readOperations } from './targets.ts'

const FAILS_EVERY = 5

export type FuzzTarget = Awaited<ReturnType<typeof openFuzzTarget>>

/** A service, and the requests that it is attacked with. */
export async function openFuzzTarget(context: ScenarioContext) {
  let [calls, injected] = [0, 0]
  const endpoint = await startServing(context, (_, response, { headers }) => {
    calls += 1
    if (INJECTED in headers) injected += 1
    const failed = { output: null, error: { message: 'It fails as it was told to.' } }
    answerJson(response, calls % FAILS_EVERY === 0 ? failed : { output: { ok: true } })
  })
  const environment = await openEnvironment(context, { variables: { SVC_OPS_PORT: '0' } })
  const { port, url, opsUrl } = environment.server
  const operations = readOperations(await (await fetch(`${url}/openapi.json`)).json())
  const { apiKey } = environment.owner
  const webhook = await post(`${url}/v1/webhooks`, apiKey, { url: endpoint, events: ['key.revealed'] })
  return {
    environment,
    endpoint,
    /** Calls of the service that had a header of a caller's. */
    injected: () => injected,
    targets: [...apiTargets(operations, port), ...hiddenTargets(port, Number(new URL(opsUrl ?? '').port))],
    operations,
    apiKey,
    /** The webhook that good requests name. */
    webhookId: CreatedWebhook.parse(webhook).webhookId,
  }
}

const FILE = /"\/?(?:dashboard\/)?(assets\/[^"]+\.js)"/

async function findDashboardFile(url: string): Promise<string> {
  const file = FILE.exec(await (await fetch(`${url}/dashboard`)).text())?.[1]
  if (file === undefined) throw new Error('the dashboard names no file of its own: is it built?')
  return file
}

/** An account may have fifty keys, and good requests make some of their own. */
async function revokeSpareKeys(url: string, apiKey: string): Promise<void> {
  const { keys } = AccountKeyList.parse(await get(`${url}/v1/account/keys?limit=100`, apiKey))
  const spare = keys.filter(({ prefix, revokedAt }) => revokedAt === null && prefix !== abbreviateKey(apiKey))
  for (const { keyId } of spare) await post(`${url}/v1/account/keys/${keyId}/revoke`, apiKey, {})
}

/**
 * An account may have five webhooks, and good requests make some, which are deleted here. All callers share one, and a key that is
 * revealed gives it an event.
 */
async function createWebhookFixture({ environment, apiKey, webhookId }: FuzzTarget, runtimeId: string) {
  const { url } = environment.server
  const headers = { authorization: `Bearer ${apiKey}` }
  const path = `${url}/v1/webhooks`
  const { webhooks } = WebhookList.parse(await get(path, apiKey))
  const spare = webhooks.filter((webhook) => webhook.webhookId !== webhookId)
  for (const webhook of spare) await fetch(`${path}/${webhook.webhookId}`, { method: 'DELETE', headers })
  await post(`${url}/v1/runtimes/${runtimeId}/reveal-key`, apiKey, { type: 'public' })
  const [delivery] = WebhookDeliveryList.parse(await get(`${path}/${webhookId}/deliveries`, apiKey)).deliveries
  return { webhookId, deliveryId: delivery?.deliveryId ?? '' }
}

const Asked = z.object({ approval: z.object({ approvalId: z.string(), approvalKey: z.string() }) })
const Streamed = z.object({ executionId: z.string(), resumeKey: z.string() })
const AccountKey = z.object({ keyId: z.string() })
const Call = z.object({ capability: z.string(), endUserToken: z.string() })
const MOST_TRIES = 20
const BETWEEN_TRIES_MS = 1_000

/** Streams a detached execution to its end, and returns what names it. */
async function streamDetached(url: string, publicKey: string): Promise<z.infer<typeof Streamed>> {
  const body = { messages: saying('Hello'), detach: true }
  const headers = { accept: 'text/event-stream' }
  const { text } = await createClient(url, 1).send({ path: '/v1/runtime/execute', key: publicKey, body, headers })
  const [, first = ''] = /^data: (.*)$/m.exec(text) ?? []
  return Streamed.parse(JSON.parse(first))
}

/** Asks again and again: requests of the account that are under way may have one refused. */
async function untilTaken<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    const taken = await ask().catch(() => undefined)
    if (taken !== undefined) return taken
    await pause(BETWEEN_TRIES_MS)
  }
  return ask()
}

/** Registers a runtime, deploys to it and calls it once, so that every id that a path can name is there. */
export async function createFixtures(target: FuzzTarget): Promise<Fixtures> {
  const { environment, endpoint, operations, apiKey } = target
  const { url } = environment.server
  const registered = await post(`${url}/v1/runtimes`, apiKey, { name: 'Fuzzed', endpoint })
  const { deployKey, publicKey, runtimeId, projectId } = CreatedRuntime.parse(registered)
  await revokeSpareKeys(url, apiKey)
  const { keyId } = AccountKey.parse(await post(`${url}/v1/account/keys`, apiKey, { name: 'Fuzzed' }))
  // The name in the examples, so that they call something.
  const example = operations.find(({ operationId }) => operationId === 'callOwnCapability')?.example
  const { capability: name, endUserToken } = Call.parse(example)
  const [asking] = capability('asks-first').capabilities
  const capabilities = [...capability(name).capabilities, { ...asking, confirm: true }]
  const website = { name: 'Shop', url: 'https://shop.example.com' }
  const manifest = { schemaVersion: 2, website, endUsers: { issuer: endpoint }, capabilities }
  // A deployment waits for those of the same account, of which broken ones take until their bodies are given up.
  await untilTaken(() => post(`${url}/v1/deployments`, deployKey, { manifest }))
  const call = { capability: 'asks-first', input: {}, endUserToken }
  const { approval } = Asked.parse(await post(`${url}/v1/runtime/capability`, publicKey, call))
  const detached = await streamDetached(url, publicKey)
  const webhook = await untilTaken(() => createWebhookFixture(target, runtimeId))
  // A user code too short to be one: tries at whole codes are limited to a few.
  const dashboardFile = await findDashboardFile(url)
  const nobodys = { userCode: 'WDJB-MJH', sessionId: 'ses_none', memberId: 'mem_none', invitationId: 'inv_none' }
  const own = { runtimeId, projectId, capability: name, keyId, endpoint, dashboardFile, ...nobodys }
  return {
    keys: { public: undefined, accountKey: apiKey, deployKey, publicKey },
    values: new Map(Object.entries({ ...approval, ...detached, ...webhook, ...own })),
  }
}
