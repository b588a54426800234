import { deploy } from '../../support/owner.ts'
import { atLeast, type Check, exactly, type Scenario } from '../../support/scenario.ts'
import { RawConnection, type RawHeard } from '../support/raw-connection.ts'
import { asBytes, jsonRequest, type RawRequest, toBytes } from '../support/raw-request.ts'
import { type Stage, setStage } from '../support/stage.ts'
import { originFault } from './judge-origin.ts'
import { ALLOWED, LOOKALIKES } from './spellings.ts'

const BODIES = [
  ['/v1/runtime/execute', { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }],
  ['/v1/runtime/capability', { capability: 'probe', input: {} }],
] as const

/** Pages of origins that are, or only look like, the ones of a runtime's list. */
export const origins: Scenario = {
  name: 'origins',
  title: 'a page is let in by an exact entry of the list alone',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const stage = await setStage(context)
    const runtime = await stage.runtime('Shop')
    await deploy(stage.server.url, runtime, ['probe'])
    const list = `/v1/runtimes/${runtime.runtimeId}/allowed-origins`
    const set = await ask(stage, jsonRequest('PUT', list, { key: stage.owner.apiKey, body: { origins: ALLOWED } }))
    if (set.kind !== 'answer' || set.answer.status !== 200)
      throw new Error(`the list was not taken: ${JSON.stringify(set)}`)
    const faults: string[] = []
    let letIn = 0
    const spellings = [...ALLOWED.map((origin) => [origin]), ...LOOKALIKES]
    for (const spelling of spellings) {
      for (const [target, body] of BODIES) {
        const headers = spelling.map((origin) => ['origin', asBytes(origin)] as const)
        const heard = await ask(stage, jsonRequest('POST', target, { key: runtime.publicKey, body, headers }))
        const fault = faultOf(heard, spelling)
        if (fault !== null) faults.push(`${JSON.stringify(spelling)} at ${target}: ${fault}`)
        if (heard.kind === 'answer' && heard.answer.status === 200) letIn += 1
      }
    }
    for (const fault of faults.slice(0, 10)) context.say(fault)
    return [
      atLeast('spellings that are not on the list', LOOKALIKES.length, 60),
      exactly('requests let in', letIn, ALLOWED.length * BODIES.length),
      exactly('requests refused', spellings.length * BODIES.length - letIn, LOOKALIKES.length * BODIES.length),
      exactly('answers that let in, show or hide what they should not', faults.length, 0),
    ]
  },
}

async function ask({ server }: Stage, request: RawRequest): Promise<RawHeard> {
  const connection = new RawConnection(server.port)
  const heard = await connection.exchange(toBytes(request))
  connection.destroy()
  return heard
}

function faultOf(heard: RawHeard, spelling: readonly string[]): string | null {
  const isAllowed = spelling.length === 1 && ALLOWED.some((origin) => origin === spelling[0])
  return heard.kind === 'answer' ? originFault(heard.answer, spelling.join(), isAllowed) : heard.kind
}
