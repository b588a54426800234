import { asBytes, exchangeOnce, jsonRequest, type RawAnswer } from '../support/raw.ts'
import { atLeast, exactly, none, type Scenario } from '../support/scenario.ts'
import { setStage } from './stage.ts'

const ALLOWED = ['https://shop.example.com', 'http://localhost:3000', 'https://xn--bcher-kva.example']

/** Origins that only look like one of the list, by line; several on a line are several headers. */
const LOOKALIKES = `null
*
undefined
https://
https:shop.example.com
//shop.example.com
shop.example.com
http://shop.example.com
HTTPS://shop.example.com
https://SHOP.example.com
https://shop.example.com:443
https://shop.example.com:8443
https://shop.example.com:
https://shop.example.com/
https://shop.example.com/path
https://shop.example.com?x
https://shop.example.com#x
https://shop.example.com.
https://shop.example.com.evil.example
https://shop.example.community
https://shop.example.co
https://shop-example.com
https://evilshop.example.com
https://a.shop.example.com
https://example.com
https://evil.example/https://shop.example.com
https://evil.example?https://shop.example.com
https://shop.example.com@evil.example
https://evil.example@shop.example.com
https://user:pass@shop.example.com
https://shop.example.com\\@evil.example
https://shop.example.com%00.evil.example
https://shop.example.com%2eevil.example
https://shop.example.com,https://evil.example
https://shop.example.com | https://evil.example
https://shop.example.com | https://shop.example.com
https://shöp.example.com
https://bücher.example
https://xn--bcher-kva.example.evil
https://XN--BCHER-KVA.example
https://shop。example。com
https://ѕhop.example.com
http://localhost
http://localhost:3001
http://localhost:30000
https://localhost:3000
http://127.0.0.1:3000
http://[::1]:3000
http://localhost:3000.evil.example
file://
data:text/html,x
chrome-extension://shop.example.com
https://__proto__
constructor
0`
  .split('\n')
  .map((line) => line.split(' | '))
  .concat([[''], ['https://evil.example https://shop.example.com'], ['https://shop.example\u00adcom']])

const BODIES = [
  ['/v1/runtime/execute', { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }],
  ['/v1/runtime/capability', { capability: 'probe', input: {} }],
] as const

export const origins: Scenario = {
  name: 'origins',
  title: 'a page is let in by an exact entry of the list alone',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const stage = await setStage(context)
    const { port } = stage.server
    const { runtimeId, publicKey: key } = await stage.runtime()
    const list = { key: stage.owner.apiKey, body: { origins: ALLOWED } }
    const set = await exchangeOnce(port, jsonRequest('PUT', `/v1/runtimes/${runtimeId}/allowed-origins`, list))
    if (set.kind !== 'answer' || set.answer.status !== 200) throw new Error(`refused: ${JSON.stringify(set)}`)
    const tries = [...ALLOWED.map((origin) => [origin]), ...LOOKALIKES].flatMap((spelling) =>
      BODIES.map(([target, body]) => ({ spelling, target, body })),
    )
    const faults: string[] = []
    let letIn = 0
    for (const { spelling, target, body } of tries) {
      const headers = spelling.map((origin) => ['origin', asBytes(origin)] as const)
      const heard = await exchangeOnce(port, jsonRequest('POST', target, { key, body, headers }))
      const isAllowed = spelling.length === 1 && ALLOWED.includes(spelling[0] ?? '')
      const fault = heard.kind === 'answer' ? originFault(heard.answer, spelling.join(), isAllowed) : heard.kind
      if (fault !== null) faults.push(`${JSON.stringify(spelling)} at ${target}: ${fault}`)
      if (heard.kind === 'answer' && heard.answer.status === 200) letIn += 1
    }
    return [
      atLeast('spellings that are not on the list', LOOKALIKES.length, 50),
      exactly('requests let in', letIn, ALLOWED.length * BODIES.length),
      none('answers that let in, show or hide what they should not', faults),
    ]
  },
}

/** The fault of an answer to a page of this origin; null where it has none. */
export function originFault(answer: RawAnswer, origin: string, isAllowed: boolean): string | null {
  const allowed = answer.headers.get('access-control-allow-origin')
  if (answer.headers.has('access-control-allow-credentials')) return 'it allows credentials'
  const vary = answer.headers.get('vary')?.join().toLowerCase().split(',') ?? []
  if (!vary.some((name) => name.trim() === 'origin')) return `it does not vary by origin (${vary.join()})`
  if (isAllowed)
    return allowed?.join() === origin && answer.status !== 403 ? null : `an allowed origin got ${answer.status}`
  if (answer.status < 400) return `a page that is not allowed got ${answer.status}`
  return allowed === undefined ? null : `a page that is not allowed may read the answer (${allowed.join()})`
}
