import { type FieldErrors, fieldErrorsOf, type ModelPrices } from '@svc/contract'
import { z } from 'zod'
import type { StripeSettings } from './billing/payments/stripe-payments.ts'
import type { Environment } from './lib/environment.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { type MailSettings, readMailSettings } from './mail/mail-settings.ts'
import { type MasterKeys, parseMasterKeys } from './secrets/master-key.ts'
import { Secret } from './secrets/secret.ts'
import { readTraceSettings, type TraceSettings } from './telemetry/trace-settings.ts'

export type Store = { engine: 'sqlite'; folder: string } | { engine: 'postgres'; url: string }

/** The service's configuration. What the environment leaves out has its default. */
export type Config = ReturnType<typeof toConfig> & {
  traces: TraceSettings | null
  /** Null: no mail is sent. */
  mail: MailSettings | null
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '[::1]', 'localhost'])
const LOCAL_ADDRESS = '127.0.0.1'

const Port = wholeNumber(65_535, 'must be a port number.')
const ProxyHops = wholeNumber(10, 'must be a whole number of proxies from 0 to 10.')
const DrainDelay = wholeNumber(20_000, 'must be a whole number of milliseconds from 0 to 20000.')
const Switch = z.enum(['0', '1'], 'must be 0 or 1.').transform((value) => value === '1')

const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL, such as https://svc.example.com.' })
  .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), 'must not carry a user name or a password: it is published.')
  .refine((url) => !/[?#]/.test(url), 'must not carry a query or a fragment: paths are appended to it.')
  .transform((url) => url.replace(/\/+$/, ''))

const Ring = z.string().transform((ring, context): MasterKeys => {
  try {
    return parseMasterKeys(ring)
  } catch {
    const message = 'must be 32-byte keys in base64, separated by commas (openssl rand -base64 32).'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
})

const StripeUrl = BaseUrl.refine(
  (url) => URL.canParse(url) && new URL(url).pathname === '/',
  'must not carry a path: Stripe’s own are appended to it.',
)

const Prices = z
  .string()
  .regex(/^\d+(\.\d+)?\/\d+(\.\d+)?$/, 'must be two prices, of a million tokens in and out, such as 0.15/0.60.')
  .transform((text): ModelPrices => {
    const [inputPerMillion = 0, outputPerMillion = 0] = text.split('/').map(Number)
    return { inputPerMillion, outputPerMillion }
  })

const Variables = z.object({
  HOST: z.string().default(LOCAL_ADDRESS),
  PORT: Port.default(8787),
  SVC_DATA_DIR: z.string().default('.svc-data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://.')
    .optional(),
  SVC_BASE_URL: BaseUrl.optional(),
  SVC_NODE_URL: BaseUrl.optional(),
  SVC_MASTER_KEY: Ring.optional(),
  SVC_ALLOW_LOCAL_ENDPOINTS: Switch.optional(),
  SVC_TEST_PAYMENTS: Switch.optional(),
  NODE_ENV: z.string().optional(),
  SVC_TRUST_PROXY: ProxyHops.default(0),
  SVC_MODEL: z.string().optional(),
  SVC_MODEL_PRICES: Prices.optional(),
  SVC_OPS_HOST: z.string().default(LOCAL_ADDRESS),
  SVC_OPS_PORT: Port.optional(),
  SVC_DRAIN_DELAY_MS: DrainDelay.default(0),
  STRIPE_SECRET_KEY: secret(/^[sr]k_\w+$/, 'must be a Stripe secret key, which starts with sk_ or rk_.'),
  STRIPE_WEBHOOK_SECRET: secret(/^whsec_\S+$/, 'must be a Stripe webhook’s signing secret, which starts with whsec_.'),
  STRIPE_API_URL: StripeUrl.optional(),
  SVC_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
})
type Variables = z.infer<typeof Variables>

function wholeNumber(maximum: number, message: string) {
  return z
    .string()
    .regex(/^\d{1,5}$/, message)
    .transform(Number)
    .refine((value) => value <= maximum, message)
}

function secret(form: RegExp, message: string) {
  return z
    .string()
    .regex(form, message)
    .transform((value) => new Secret(value))
    .optional()
}

export type ConfigResult = { ok: true; config: Config } | { ok: false; faults: FieldErrors }

/** Reads the environment. All invalid variables are reported together, each with its fix. */
export function readConfig(env: Environment): ConfigResult {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const variables = Variables.safeParse(given)
  const limits = readLimits(given)
  const traces = readTraceSettings(given)
  const mail = readMailSettings(given)
  const faults = {
    ...(variables.success ? {} : fieldErrorsOf(variables.error)),
    ...missingFaults(given),
    ...limits.faults,
    ...(traces.ok ? {} : traces.faults),
    ...(mail.ok ? {} : mail.faults),
  }
  if (!variables.success || !traces.ok || !mail.ok || Object.keys(faults).length > 0) return { ok: false, faults }
  const config = toConfig(variables.data, limits.values)
  return { ok: true, config: { ...config, traces: traces.settings, mail: mail.settings } }
}

/** Configuration errors for a terminal, one variable a line. */
export function reportFaults(faults: FieldErrors): string {
  const lines = Object.entries(faults).map(([variable, messages]) => `  ${variable} ${messages.join(' ')}`)
  return `The configuration is not valid:\n${lines.join('\n')}\n`
}

/** Variables that others require. */
function missingFaults(env: Environment): FieldErrors {
  const isSet = (name: string) => env[name] !== undefined
  const stripe = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'].filter(isSet)
  const ring = 'is required with PostgreSQL: replicas must share it. Make one with “openssl rand -base64 32”.'
  return {
    ...(isSet('DATABASE_URL') && !isSet('SVC_MASTER_KEY') && { SVC_MASTER_KEY: [ring] }),
    ...(stripe.length > 0 &&
      !isSet('STRIPE_SECRET_KEY') && { STRIPE_SECRET_KEY: [`is required with ${stripe.join(' and ')}.`] }),
  }
}

/** Whether this is a developer's machine: the embedded store, a loopback host, no public address, and no proxy. */
function isDevelopment(data: Variables): boolean {
  const isLocalStore = data.DATABASE_URL === undefined && LOOPBACK.has(data.HOST)
  const isPublished = data.SVC_BASE_URL !== undefined && !LOOPBACK.has(new URL(data.SVC_BASE_URL).hostname)
  return isLocalStore && !isPublished && data.SVC_TRUST_PROXY === 0 && data.NODE_ENV !== 'production'
}

function toConfig(data: Variables, limits: Limits) {
  const isLocal = isDevelopment(data)
  const { DATABASE_URL: url, SVC_OPS_PORT: opsPort, STRIPE_SECRET_KEY: secretKey } = data
  const { STRIPE_WEBHOOK_SECRET: webhookSecret = null, STRIPE_API_URL: apiUrl = null } = data
  const store: Store = url ? { engine: 'postgres', url } : { engine: 'sqlite', folder: data.SVC_DATA_DIR }
  const stripe: StripeSettings | null = secretKey ? { secretKey, webhookSecret, apiUrl } : null
  return {
    host: data.HOST,
    port: data.PORT,
    store,
    /** Null: the address that is served on. */
    baseUrl: data.SVC_BASE_URL ?? null,
    /** Where other replicas reach this one. Null: nowhere. */
    nodeUrl: data.SVC_NODE_URL ?? null,
    /** Null: the embedded store's own, in its data folder. */
    masterKeys: data.SVC_MASTER_KEY ?? null,
    allowLocalEndpoints: data.SVC_ALLOW_LOCAL_ENDPOINTS ?? isLocal,
    /** Whether the labelled test checkout replaces a missing payment provider. */
    testPayments: data.SVC_TEST_PAYMENTS ?? isLocal,
    proxyHops: data.SVC_TRUST_PROXY,
    /** `<provider>:<model>`; undefined where the keys that are present decide. */
    modelSpec: data.SVC_MODEL,
    /** Null: no costs are shown. */
    modelPrices: data.SVC_MODEL_PRICES ?? null,
    logLevel: data.SVC_LOG_LEVEL,
    /** Null: no operations port. */
    ops: opsPort === undefined ? null : { host: data.SVC_OPS_HOST, port: opsPort },
    /** How long the service still takes requests once it is not ready any more. */
    drainDelayMs: data.SVC_DRAIN_DELAY_MS,
    /** Null: no payment provider. */
    stripe,
    limits,
  }
}

/** The variable that sets a limit: `dispatchMs` → `SVC_LIMIT_DISPATCH_MS`. */
export function limitVariable(name: string): string {
  return `SVC_LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

function readLimits(env: Environment): { values: Limits; faults: FieldErrors } {
  const given: Record<string, number> = {}
  const faults: FieldErrors = {}
  for (const name of Object.keys(DEFAULT_LIMITS)) {
    const variable = limitVariable(name)
    const text = env[variable]
    if (text === undefined) continue
    const problem = limitProblem(name, text)
    if (problem === null) given[name] = Number(text)
    else faults[variable] = [problem]
  }
  return { values: { ...DEFAULT_LIMITS, ...given }, faults }
}

// A timer that is set for longer fires immediately.
const MAX_TIMER_MS = 2_147_483_647

function limitProblem(name: string, text: string): string | null {
  if (!/^[1-9]\d{0,11}$/.test(text)) return 'must be a whole number from 1 to 999999999999.'
  const isTooLong = name.endsWith('Ms') && Number(text) > MAX_TIMER_MS
  return isTooLong ? `must be at most ${MAX_TIMER_MS} milliseconds.` : null
}
