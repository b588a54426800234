import { type CapabilitySchema, isStandardSchema } from '../capabilities/capability-schema.ts'
import { readProperty } from './read-property.ts'
import { validateValue } from './validate-value.ts'

/** An output as JSON text with what stands under its reserved key, or a sentence for the model and the error behind it. */
export type WrittenOutput =
  | { readonly ok: true; readonly json: string; readonly reserved: unknown }
  | { readonly ok: false; readonly message: string; readonly error: unknown }

interface OutputRules {
  readonly name: string
  readonly output?: CapabilitySchema | undefined
}

/**
 * Writes what a handler returned, as its output schema made it: fields that a schema drops stay here. The reserved key `svc`
 * is taken out before the schema sees the output, and put back after.
 */
export async function writeOutput(rules: OutputRules, returned: unknown): Promise<WrittenOutput> {
  if (rules.output === undefined || !isPlainObject(returned) || returned['svc'] === undefined) {
    return judge(rules, returned)
  }
  const { svc, ...rest } = returned
  const judged = await judge(rules, rest, { svc })
  if (judged.ok) return judged
  // A schema may describe the reserved key itself, and require it.
  const whole = await judge(rules, returned)
  return whole.ok && whole.reserved !== undefined ? whole : judged
}

async function judge({ name, output: schema }: OutputRules, given: unknown, reserved?: object): Promise<WrittenOutput> {
  if (schema !== undefined && !isStandardSchema(schema)) {
    const written = write(name, given)
    if (!written.ok) return written
    const sent = await validateValue(schema, JSON.parse(written.json))
    if (!sent.ok) return misfit(name, sent.faults)
    return reserved ? write(name, given, reserved) : written
  }
  const output = await validateValue(schema, given)
  return output.ok ? write(name, output.value, reserved) : misfit(name, output.faults)
}

function write(name: string, value: unknown, reserved?: object): WrittenOutput {
  if (reserved && !isPlainObject(value)) return misfit(name, 'svc stands beside something that is no object.')
  try {
    const whole = reserved && isPlainObject(value) ? { ...value, ...reserved } : value
    return { ok: true, json: JSON.stringify(whole) ?? 'null', reserved: readProperty(whole, 'svc') }
  } catch (error) {
    return { ok: false, message: `“${name}” returned something that cannot be written as JSON.`, error }
  }
}

// A value with `toJSON`, such as a date, is left as it is.
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return typeof readProperty(value, 'toJSON') !== 'function'
}

function misfit(name: string, faults: string): WrittenOutput {
  const message = `“${name}” returned something that its output schema does not allow.`
  return { ok: false, message, error: new TypeError(`${message} ${faults}`) }
}
