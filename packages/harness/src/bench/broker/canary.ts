import { createClient } from '../../support/client.ts'
import type { Contender } from './candidates.ts'

/** Calls each once and looks at the answer: what fails fast must not pass for fast. */
export async function tryOnce(contenders: readonly Contender[], expected: string): Promise<void> {
  for (const { name, url, requests } of contenders) {
    const client = createClient(url, 1)
    const [{ path, headers, body }] = requests
    const heard = await client.send({ method: 'POST', path, headers, body: JSON.parse(body) })
    await client.close()
    const text = heard.kind === 'answer' && heard.status === 200 ? heard.text : null
    if (text === null || !text.includes(expected)) throw new Error(`${name} does not answer: ${JSON.stringify(heard)}`)
  }
}
