import * as z from 'zod'
import { Endpoint } from './web-addresses.ts'

/** What `POST /v1/runtime/doctor` looks at, in the order of its rows. */
export const DOCTOR_CHECKS = [
  'endpoint',
  'connection',
  'tls',
  'genuine-call',
  'answer',
  'latency',
  'clock',
  'raw-body',
  'verify-first',
  'replay',
  'tampered-body',
  'stale-timestamp',
  'future-timestamp',
  'wrong-secret',
  'other-runtime',
  'loose-signature',
  'missing-header',
] as const

export type DoctorCheck = (typeof DOCTOR_CHECKS)[number]

/** Body of `POST /v1/runtime/doctor`, which may be left out. */
export const DoctorRequest = z.strictObject({
  endpoint: Endpoint.optional().describe('Examined in place of the registered one: for before a deployment.'),
})
export type DoctorRequest = z.infer<typeof DoctorRequest>

/** One check of an endpoint. Later versions may add checks, so the name is read as any text. */
export const DoctorRow = z.object({
  check: z.string().describe(`One of ${DOCTOR_CHECKS.map((check) => `\`${check}\``).join(', ')}.`),
  ok: z.boolean(),
  message: z.string().describe('What was found, in a sentence or two.'),
  mend: z.string().nullable().describe('What to change; null where nothing has to be.'),
})
export type DoctorRow = z.infer<typeof DoctorRow>

/** Answer to `POST /v1/runtime/doctor`. A check that needs an earlier one that failed has no row. */
export const DoctorReport = z.object({
  ok: z.boolean().describe('Whether every row is.'),
  rows: z.array(DoctorRow),
})
export type DoctorReport = z.infer<typeof DoctorReport>
