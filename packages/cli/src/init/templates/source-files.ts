/** What agents may do: `.svc/runtime.ts`. */
export const RUNTIME = `import { defineRuntime } from '@svc/sdk'
import { openingHours } from '../src/capabilities/opening-hours.ts'

// All that an agent may do here: \`svc deploy\` publishes it, src/server.ts serves it.
export default defineRuntime({ capabilities: [openingHours] })
`

/** A capability to begin with: `src/capabilities/opening-hours.ts`. */
export const OPENING_HOURS = `import { defineCapability } from '@svc/sdk'
import { z } from 'zod'

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

export const openingHours = defineCapability({
  name: 'opening-hours',
  version: '1.0.0',
  description: 'Tells when we are open on a day of the week.',
  input: z.object({ day: z.enum(DAYS).describe('The day of the week, in English.') }),
  output: z.object({ day: z.enum(DAYS), hours: z.string() }),
  handler: ({ day }) => ({ day, hours: day === 'sunday' ? 'closed' : '9:00 to 18:00' }),
})
`

/** A conversation to begin with: `tests/opening-hours.svc-test.yaml`. */
export const OPENING_HOURS_TEST = `# \`npx svc test\` plays this conversation and checks what came of it.
turns:
  - user: Are you open on sunday?
    # What the model does, step by step, in place of a real one. The capability itself runs.
    model: [{ call: opening-hours, input: { day: sunday } }, { say: We are closed on sunday. }]
    expect:
      calls: [{ capability: opening-hours, output: { hours: closed }, times: 1 }]
      answer: { contains: closed }
`

/** The server of the capabilities: `src/server.ts`. */
export function serverSource(port: number): string {
  return `import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { createHandler } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import runtime from '../.svc/runtime.ts'

// What the environment sets wins over .env.
if (existsSync('.env')) process.loadEnvFile()

const { SVC_RUNTIME_ID: runtimeId, SVC_RUNTIME_SECRET, HOST = '127.0.0.1', PORT = '${port}' } = process.env
// During a rotation it holds the new secret and the old one, separated by a comma.
const secret = SVC_RUNTIME_SECRET?.split(',')
const capabilities = toNodeListener(createHandler({ runtime, runtimeId, secret, onError: console.error }))

const server = createServer((request, response) => {
  if (request.url === '/svc') return capabilities(request, response)
  response.writeHead(404).end()
})
server.listen(Number(PORT), HOST, () => console.log(\`capabilities at http://\${HOST}:\${PORT}/svc\`))

// Calls under way may end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close())
`
}
