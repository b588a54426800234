import { relative } from 'node:path'
import { type FieldErrors, fieldErrorsOf, type JsonObject, SvcConfig } from '@svc/contract'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { fieldLines } from '../terminal/field-lines.ts'
import { baseUrlProblem, normalizeBaseUrl } from './base-url.ts'

const DEFAULT_BASE_URL = 'http://127.0.0.1:8787'

// What to write where the message says only what is wrong.
const EXAMPLES = new Map([
  ['runtime', "runtime: './src/runtime.ts'"],
  ['endpoint', "endpoint: 'https://shop.example.com/svc'"],
  ['website', "website: { name: 'Example Shop', url: 'https://shop.example.com' }"],
  ['website.name', "name: 'Example Shop'"],
  ['website.description', "description: 'Everything for the garden'"],
  ['website.contact', "contact: 'help@shop.example.com'"],
  ['adp', "adp: { namespace: 'com.example.shop' }"],
  ['adp.namespace', "namespace: 'com.example.shop'"],
  ['adp.id', "id: 'com.example.shop'"],
  ['agent', "agent: { instructions: 'Answer in one paragraph.' }"],
  ['agent.instructions', "instructions: 'Answer in one paragraph.'"],
])

/** The configuration and the control plane’s address, checked; every fault of both is reported at once. */
export function validateConfiguration(
  deps: Pick<CliDeps, 'env' | 'cwd'>,
  input: { configFile: string; configuration: JsonObject },
): { config: SvcConfig; baseUrl: string } {
  const baseUrl = deps.env['SVC_BASE_URL'] || DEFAULT_BASE_URL
  const baseUrlFault = baseUrlProblem(baseUrl)
  const parsed = SvcConfig.safeParse(input.configuration)
  if (parsed.success && !baseUrlFault) return { config: parsed.data, baseUrl: normalizeBaseUrl(baseUrl) }

  const faults = {
    ...(parsed.success ? {} : withExamples(fieldErrorsOf(parsed.error, 'configuration'))),
    ...(baseUrlFault ? { SVC_BASE_URL: [baseUrlFault] } : {}),
  }
  const file = relative(deps.cwd, input.configFile)
  throw projectFailure(`The configuration is not valid (${file}).`, fieldLines(faults))
}

function withExamples(faults: FieldErrors): FieldErrors {
  const shown = Object.entries(faults).map(([field, messages]) => {
    const example = EXAMPLES.get(field)
    const help = (message: string) => (example && isBare(message) ? `${message} For example ${example}` : message)
    return [field, messages.map(help)]
  })
  return Object.fromEntries(shown)
}

const BARE =
  /^(is required \(|must not be (empty|null)|must have at (least|most) |must be (a (text|number|list|JSON object)|true or false)\b)/

function isBare(message: string): boolean {
  return BARE.test(message)
}
