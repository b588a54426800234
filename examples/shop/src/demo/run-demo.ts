import { fileURLToPath } from 'node:url'
import {
  ApprovalAnswer,
  CapabilityOutput,
  ErrorBody,
  type ExecuteResponse,
  ExecutionList,
  isJsonObject,
  type Message,
  Trace,
} from '@svc/contract'
import { type ControlPlane, callOverMcp, type Registered, register, requestJson, type Teller } from '@svc/example-kit'
import { z } from 'zod'
import type { RunningShop } from '../server.ts'
import { DEMO_CUSTOMERS } from '../store/seed.ts'
import { ask, userSays } from './ask.ts'

const QUESTION = 'Do you have a lantern for under 30 euros?'
const ORDER_QUESTION = 'Where is my order ORD-1002?'
const CART_QUESTION = 'Add the Ridgeline Two-Person Tent to my cart'
const BUY_QUESTION = 'Place the order'

const SHOP = fileURLToPath(new URL('../../', import.meta.url))

interface Cast {
  controlPlane: ControlPlane
  shop: RunningShop
}

/** What the shop’s owner signs in to the dashboard with. */
export const DEMO_OWNER = { email: 'owner@shop.example.com', password: 'hollow-pine-demo' }

/**
 * The main job, from an empty control plane to a trace, and the id of the runtime that it made. Throws at the first step that
 * does not answer as it should.
 */
export async function runDemo(tell: Teller, cast: Cast): Promise<string> {
  tell.step('A control plane and a shop come up')
  tell.line(cast.controlPlane.summary)
  tell.fact('the shop', cast.shop.url)
  const owner = await signUp(tell, cast)
  await deploy(tell, cast, owner)
  const answer = await askAsVisitor(tell, cast, owner)
  const token = await askAsCustomer(tell, cast, owner)
  await orderWithApproval(tell, cast, { runtime: owner.runtime, token })
  await callAnonymously(tell, cast, owner)
  const mcp = `${cast.controlPlane.url}/v1/mcp/${owner.runtime.runtimeId}`
  await callOverMcp(tell, { url: mcp, tool: 'search-products', input: { query: 'wool blanket' } })
  await showTrace(tell, cast, owner, answer)
  tell.text('\nEvery step answered as it should.\n')
  return owner.runtime.runtimeId
}

async function signUp(tell: Teller, { controlPlane, shop }: Cast): Promise<Registered> {
  tell.step('The shop’s owner gets an account and registers a runtime')
  const endpoint = `${shop.url}/svc`
  const registered = await register(controlPlane, { owner: DEMO_OWNER, name: 'Hollow Pine', endpoint })
  const { runtime } = registered
  shop.connect({ ...runtime, baseUrl: controlPlane.url })
  tell.fact('runtime', runtime.runtimeId)
  tell.fact('deploy key', `${runtime.deployKeyPrefix ?? ''}   stays with the owner`)
  tell.fact('public key', `${runtime.publicKeyPrefix ?? ''}   goes into the page`)
  tell.fact('endpoint', `${endpoint}   the shop’s own server, called with signed requests`)
  return registered
}

async function deploy(tell: Teller, { controlPlane, shop }: Cast, { runtime }: Registered): Promise<void> {
  tell.step('svc deploy')
  const output = await controlPlane.svcDeploy({
    folder: SHOP,
    deployKey: runtime.deployKey,
    env: { SHOP_ENDPOINT: `${shop.url}/svc` },
  })
  tell.line(output.trimEnd())
}

async function askAsVisitor(tell: Teller, { controlPlane }: Cast, { runtime }: Registered): Promise<ExecuteResponse> {
  tell.step(`A visitor asks: “${QUESTION}”`)
  const answer = await ask(tell, { baseUrl: controlPlane.url, publicKey: runtime.publicKey, text: QUESTION })
  expect(answer.status === 'completed', `the execution ended as ${answer.status}: ${answer.error?.message ?? ''}`)
  const results = answer.messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
  expect(results.length > 0 && results.every(({ error }) => !error), 'the model answered without a capability')
  tell.fact('tokens', `${answer.inputTokens} in, ${answer.outputTokens} out`)
  return answer
}

async function askAsCustomer(tell: Teller, { controlPlane, shop }: Cast, { runtime }: Registered): Promise<string> {
  tell.step(`A customer who is signed in asks: “${ORDER_QUESTION}”`)
  const [customer] = DEMO_CUSTOMERS
  const credentials = { email: customer.email, password: customer.password }
  const session = { status: 201, schema: z.object({ token: z.string() }) }
  const { token } = await requestJson(`${shop.url}/api/sessions`, { method: 'POST', body: credentials }, session)
  const answer = await ask(tell, {
    baseUrl: controlPlane.url,
    publicKey: runtime.publicKey,
    text: ORDER_QUESTION,
    endUserToken: token,
  })
  expect(answer.status === 'completed', `the execution ended as ${answer.status}: ${answer.error?.message ?? ''}`)
  expect(JSON.stringify(answer.messages).includes('ORD-1002'), 'the answer does not speak of the order')
  return token
}

async function orderWithApproval(
  tell: Teller,
  { controlPlane }: Cast,
  { runtime, token: endUserToken }: Pick<Registered, 'runtime'> & { token: string },
): Promise<void> {
  tell.step(`The customer orders for more than 100 euros: “${BUY_QUESTION}”`)
  const { url: baseUrl } = controlPlane
  const asking = { baseUrl, publicKey: runtime.publicKey, endUserToken }
  await ask(tell, { ...asking, text: CART_QUESTION })
  const answer = await ask(tell, { ...asking, text: BUY_QUESTION })
  const [approval] = answer.approvals ?? []
  expect(approval !== undefined, 'the order was placed without an approval')
  tell.fact('a person is asked', [approval.preview.title, ...(approval.preview.lines ?? [])].join('\n'))
  const { approvalId, approvalKey } = approval
  const decision = {
    method: 'POST' as const,
    key: runtime.publicKey,
    body: { decision: 'approve', approvalKey, endUserToken },
  }
  const expected = { status: 200, schema: ApprovalAnswer }
  const { status, result } = await requestJson(`${baseUrl}/v1/runtime/approvals/${approvalId}`, decision, expected)
  expect(result !== undefined && !result.error, `the approved order failed: ${result?.error?.message ?? ''}`)
  tell.fact('the person', `${status}: the shop gets the call, once`)
  const before: Message[] = [userSays(BUY_QUESTION), ...answer.messages, { role: 'tool', parts: [result] }]
  const goesOn = await ask(tell, { ...asking, text: '', before })
  expect(goesOn.status === 'completed', 'the model did not go on from the approved call')
}

const Published = z.object({
  name: z.string(),
  capabilities: z.array(
    z.object({ invocationName: z.string(), endpoint: z.object({ address: z.url(), auth: z.string() }) }),
  ),
})

async function callAnonymously(tell: Teller, { controlPlane }: Cast, { runtime }: Registered): Promise<void> {
  tell.step('Another person’s agent finds the manifest and calls what it offers')
  const address = `${controlPlane.url}/v1/runtime/${runtime.runtimeId}/manifest`
  const manifest = await requestJson(address, {}, { status: 200, schema: Published })
  tell.fact(`${manifest.name} offers`, manifest.capabilities.map(({ invocationName }) => invocationName).join(', '))
  const addressOf = (name: string) =>
    manifest.capabilities.find(({ invocationName }) => invocationName === name)?.endpoint.address ?? ''
  const body = { input: { query: 'wool blanket' } }
  const expected = { status: 200, schema: CapabilityOutput }
  const found = await requestJson(addressOf('search-products'), { method: 'POST', body }, expected)
  expect(isJsonObject(found.output), 'the broker’s answer holds no output')
  tell.fact('search-products', shorten(JSON.stringify(found.output)))
  const refusal = { status: 401, schema: ErrorBody }
  const refused = await requestJson(addressOf('list-orders'), { method: 'POST', body: { input: {} } }, refusal)
  tell.fact('list-orders', `refused: ${refused.error.message}`)
}

async function showTrace(
  tell: Teller,
  { controlPlane }: Cast,
  owner: Registered,
  answer: ExecuteResponse,
): Promise<void> {
  tell.step('What the control plane kept of the visitor’s question')
  const url = `${controlPlane.url}/v1/executions`
  const list = await requestJson(url, { key: owner.apiKey }, { status: 200, schema: ExecutionList })
  expect(
    list.executions.some(({ executionId }) => executionId === answer.executionId),
    'the execution is not listed',
  )
  const expected = { status: 200, schema: Trace }
  const trace = await requestJson(`${url}/${answer.executionId}`, { key: owner.apiKey }, expected)
  const [call] = trace.capabilityCalls
  expect(isJsonObject(call?.input) && isJsonObject(call.output), 'the trace shows no call with input and output')
  expect(!JSON.stringify(trace).includes(QUESTION), 'the trace holds the text of a message')
  tell.fact('execution', `${trace.executionId}, ${trace.status} (${trace.finishReason ?? ''})`)
  const shapes = trace.messageShape.map(({ role, parts }) => `${role}[${parts.map(({ type }) => type).join(' ')}]`)
  tell.fact('turns, as shapes', shapes.join(' → '))
  tell.fact(call.capability, `in  ${shorten(JSON.stringify(call.input))}\nout ${shorten(JSON.stringify(call.output))}`)
  tell.fact('message text', 'none: it is never stored')
}

function expect(holds: boolean | undefined, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}

function shorten(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
