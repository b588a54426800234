import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import type { LoadNotes, LoadTask } from '../../load.ts'

// The endpoint shares this processor, and must not be what is overloaded.
setPriority(5)
const { url, requests, seconds, connections, perSecond }: LoadTask = JSON.parse(await text(process.stdin))
const byStatus: Record<string, number> = {}
const servedMs: number[] = []
let withoutRetryAfter = 0

interface Head {
  statusCode: number
  headers: string[]
}

// autocannon begins with the first request on each connection, and would send them to one runtime all at once.
const spread = requests.map((request) => ({ ...request, method: 'POST' as const }))
let clients = 0

const options: autocannon.Options = {
  url,
  requests: spread,
  connections,
  duration: seconds,
  timeout: 30,
  ...(perSecond === null ? {} : { overallRate: Math.round(perSecond) }),
  setupClient: (client) => {
    const first = clients++ % spread.length
    client.setRequests([...spread.slice(first), ...spread.slice(0, first)])
    // autocannon's types declare another argument.
    client.on('headers', (options: unknown) => {
      const { statusCode, headers } = options as Head
      if (statusCode === 429 && !headers.some((name) => /^retry-after$/i.test(name))) withoutRetryAfter += 1
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
const notes: LoadNotes = { byStatus, servedMs, withoutRetryAfter, broken: errors, seconds }
process.stdout.write(JSON.stringify(notes), () => process.exit(0))
