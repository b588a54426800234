import { deploy } from '../../support/owner.ts'
import { startQuickModel } from '../support/quick-model.ts'
import { jsonRequest, type RawRequest, toBytes } from '../support/raw-request.ts'
import type { Stage } from '../support/stage.ts'

/** What the server is asked to do, over and over: one request is as good as the other. */
export interface Work {
  name: string
  requests: readonly string[]
}

const RUNTIMES = 64
const INPUT = { query: 'red shoes' }
const EXECUTE_PATH = '/v1/runtime/execute'
const MESSAGES = [{ role: 'user', parts: [{ type: 'text', content: 'Have you got red shoes?' }] }]

/** A model that has the capability called twice, one call after the other, before it answers. */
export function startShopModel() {
  const call = { toolCalls: [{ name: 'probe', input: INPUT }] }
  return startQuickModel([call, call, { text: 'Yes, two pairs are left.' }])
}

/** Strangers’ calls, and executes, plain and streamed, through so many runtimes that the rate of none of them is what refuses. */
export async function setWork(stage: Stage): Promise<Work[]> {
  const calls: RawRequest[] = []
  const executes: RawRequest[] = []
  const streams: RawRequest[] = []
  for (let serial = 0; serial < RUNTIMES; serial += 1) {
    const { runtimeId, publicKey: key, ...runtime } = await stage.runtime(`Shop ${serial}`)
    await deploy(stage.server.url, { runtimeId, publicKey: key, ...runtime }, ['probe'])
    calls.push(jsonRequest('POST', `/v1/capabilities/${runtimeId}/probe`, { body: { input: INPUT } }))
    const body = { messages: MESSAGES }
    executes.push(jsonRequest('POST', EXECUTE_PATH, { key, body }))
    streams.push(jsonRequest('POST', EXECUTE_PATH, { key, body, headers: [['accept', 'text/event-stream']] }))
  }
  const texts = (requests: readonly RawRequest[]) => requests.map((request) => toBytes(request).toString('latin1'))
  return [
    { name: 'broker', requests: texts(calls) },
    { name: 'execute', requests: texts(executes) },
    { name: 'streamed execute', requests: texts(streams) },
  ]
}
