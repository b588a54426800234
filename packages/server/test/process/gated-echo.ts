import { type OpenAiDouble, type OwnerEndpoint, startOpenAiDouble, startOwnerEndpoint } from '@svc/testkit'
import { onTestFinished } from 'vitest'
import { createGate, type Gate } from '../support/deferred.ts'

interface GatedEcho {
  /** Where every capability call waits. */
  gate: Gate
  double: OpenAiDouble
  endpoint: OwnerEndpoint
}

/** A model that calls `echo`, hears its answer, and speaks; and the endpoint that it is called at. Both end with the test. */
export async function startGatedEcho(): Promise<GatedEcho> {
  const gate = createGate()
  const double = await startOpenAiDouble({
    script: ({ body }) =>
      JSON.stringify(body['messages']).includes('"role":"tool"')
        ? { text: ['All ', 'done.'] }
        : { toolCalls: [{ name: 'echo', input: { text: 'a' } }] },
  })
  const endpoint = await startOwnerEndpoint({
    handle: {
      echo: async (call) => {
        await gate.enter()
        return { output: call.input }
      },
    },
  })
  onTestFinished(async () => {
    gate.open()
    await endpoint.close()
    await double.close()
  })
  return { gate, double, endpoint }
}
