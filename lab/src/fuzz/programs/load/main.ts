import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import { z } from 'zod'
import { LoadTask } from '../../load.ts'

// The endpoint shares this processor, and must not be what is overloaded.
setPriority(5)
const { url, requests, seconds, connections, perSecond } = LoadTask.parse(JSON.parse(await text(process.stdin)))
const byStatus: Record<string, number> = {}
const servedMs: number[] = []
let withoutRetryAfter = 0
const Head = z.object({ statusCode: z.number(), headers: z.array(z.string()) })

const options: autocannon.Options = {
  url,
  requests: requests.map((request) => ({ ...request, method: 'POST' as const })),
  connections,
  duration: seconds,
  timeout: 30,
  ...(perSecond === null ? {} : { overallRate: Math.round(perSecond) }),
  setupClient: (client) => {
    client.on('headers', (told: unknown) => {
      const { statusCode, headers } = Head.parse(told)
      const hasTime = headers.some((name) => name.toLowerCase() === 'retry-after')
      if (statusCode === 429 && !hasTime) withoutRetryAfter += 1
    })
  },
}
const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
  const load = autocannon(options, (error: unknown, result) => (error ? reject(error) : resolve(result)))
  load.on('response', (_client, statusCode, _bytes, ms) => {
    byStatus[statusCode] = (byStatus[statusCode] ?? 0) + 1
    if (statusCode === 200) servedMs.push(ms)
  })
})
const notes = { byStatus, servedMs, withoutRetryAfter, broken: errors, seconds }
process.stdout.write(JSON.stringify(notes), () => process.exit(0))
