import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { runLoad } from './load.ts'

const Task = z.object({
  port: z.number(),
  requests: z.array(z.string()),
  durationMs: z.number(),
  connections: z.number(),
  perSecond: z.number().nullable(),
})

const LESS_THAN_OTHERS = 5
// The endpoint shares its processor, and must not be what is overloaded.
setPriority(LESS_THAN_OTHERS)
const notes = await runLoad(Task.parse(JSON.parse(await text(process.stdin))))
// Ended by hand: connections may still be open.
process.stdout.write(JSON.stringify(notes), () => process.exit(0))
