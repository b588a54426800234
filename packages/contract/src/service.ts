import * as z from 'zod'
import { Timestamp } from './json.ts'

/** Answer of `GET /`. */
export const ServiceInfo = z.object({ service: z.string(), version: z.string() })
export type ServiceInfo = z.infer<typeof ServiceInfo>

/** Answer of `GET /health`. `uptime` is in seconds. */
export const ServiceHealth = z.object({
  status: z.literal('ok'),
  version: z.string(),
  uptime: z.number().nonnegative(),
  timestamp: Timestamp,
})
export type ServiceHealth = z.infer<typeof ServiceHealth>
