import { EdgeVM } from '@edge-runtime/vm'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { bundle } from './support/bundle.ts'
import { callBody, NOW, RUNTIME_ID, SECRET, signatureHeaders } from './support/signed-calls.ts'

const PROGRAM = `
  import { createHandler, defineCapability, defineRuntime } from '@svc/sdk'
  const greet = defineCapability({
    name: 'greet',
    version: '1.0.0',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    handler: ({ name }) => ({ greeting: 'Hello ' + name }),
  })
  globalThis.handler = createHandler({
    runtime: defineRuntime({ capabilities: [greet] }),
    runtimeId: '${RUNTIME_ID}',
    secret: '${SECRET}',
    clock: { now: () => ${NOW} },
  })`

const Answer = z.object({ status: z.number(), body: z.string() })

/** Answers a call inside the virtual machine; only texts pass its wall. */
async function answerInside(vm: EdgeVM, headers: Record<string, string>, body: string): Promise<unknown> {
  const init = JSON.stringify({ method: 'POST', headers, body })
  const { status, body: text } = Answer.parse(
    await vm.evaluate(`handler(new Request('https://shop.example.com/svc', ${init}))
      .then(async (response) => ({ status: response.status, body: await response.text() }))`),
  )
  return { status, body: JSON.parse(text) }
}

test('the built core runs where there is neither Node nor eval: it answers a signed call and refuses a forged one', async () => {
  const vm = new EdgeVM({ codeGeneration: { strings: false, wasm: false } })
  expect(vm.evaluate('typeof process + typeof Buffer + typeof require')).toBe('undefinedundefinedundefined')
  expect(() => vm.evaluate("new Function('')")).toThrow('Code generation from strings disallowed')
  vm.evaluate(await bundle(PROGRAM))
  const body = callBody('greet', { input: { name: 'Zoë' } })
  const headers = await signatureHeaders({ body })
  expect(await answerInside(vm, headers, body)).toEqual({ status: 200, body: { output: { greeting: 'Hello Zoë' } } })
  expect(await answerInside(vm, headers, body)).toEqual({ status: 401, body: { error: 'nonce_replayed' } })
  expect(await answerInside(vm, headers, `${body} `)).toEqual({ status: 401, body: { error: 'signature_mismatch' } })
})
