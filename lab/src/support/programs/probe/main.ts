import { createInterface } from 'node:readline'
import { z } from 'zod'
import { startProbe } from '../../probe.ts'

const Task = z.object({ port: z.number(), everyMs: z.number(), request: z.string() })

// One line begins it, the end of the input ends it.
let probe: ReturnType<typeof startProbe> | null = null
for await (const line of createInterface({ input: process.stdin })) {
  const { request, ...task } = Task.parse(JSON.parse(line))
  probe = startProbe({ ...task, request: Buffer.from(request, 'latin1') })
}
process.stdout.write(JSON.stringify(await probe?.stop()), () => process.exit(0))
