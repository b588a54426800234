import type { FieldErrors, JsonObject } from '@svc/contract'
import { jsonBytes } from '../json-bytes.ts'
import { createPatience, type Patience } from './patience.ts'
import { type Compiled, compileAlone, judgeDialect, prepareDialects } from './schema-dialects.ts'
import { schemaFaults } from './schema-faults.ts'
import { stoppedAfter, TimeLimitError, withinTime } from './time-limit.ts'

/**
 * Checks a value against an owner's schema. Returns its faults by dotted path below `root`, or null when it fits.
 * `bytes` is the size of the value as JSON text, for those who know it.
 */
export type SchemaCheck = (value: unknown, root: string, bytes?: number) => FieldErrors | null

export type CompiledSchema = { ok: true; check: SchemaCheck } | { ok: false; problem: string }

/** What compiling one schema may take; with the trial that follows, an answer of a second has room for it. */
const COMPILE_MS = 300
const TRIAL_MS = 150
// On a busy machine, what was judged fit must not fail to serve.
const COMPILE_JUDGED_MS = 4 * COMPILE_MS
// A schema without references and patterns for names takes time in the product of its size and the value's at most.
const SAFE_PRODUCT = 4_000_000
// A pattern takes a step of its engine for each of its instructions and each character: “a{999}” is short, and slow. One
// takes up to 40 ns, measured, so that what the product allows takes four milliseconds.
const INSTRUCTION_WEIGHT = 40
const UNBOUNDED = /"(?:\$ref|\$dynamicRef|\$recursiveRef|patternProperties)"/

/**
 * Judges and compiles a schema that somebody else wrote: JSON Schema 2020-12, or draft-07 where `$schema` says so.
 * References leave the schema nowhere, patterns run on an engine of linear time, and neither compiling nor a check takes
 * long. It holds the thread for up to half a second: to be called where nobody waits for that.
 */
export function compileSchema(schema: JsonObject, maxMs = COMPILE_MS): CompiledSchema {
  if (schema['$async'] !== undefined) return { ok: false, problem: 'must not use $async.' }
  prepareDialects()
  try {
    const compiled = withinTime(Math.min(maxMs, COMPILE_MS), () => {
      judgeDialect(schema)
      return compileAlone(schema)
    })
    // A schema that leads back to itself compiles, but no check against it need ever end.
    withinTime(TRIAL_MS, () => compiled.validate({}))
    return { ok: true, check: patientCheck(compiled, schema, createPatience()) }
  } catch (error) {
    return { ok: false, problem: problemOf(error) }
  }
}

/** Compiles a schema that {@link compileSchema} has found good, without judging it anew. Throws where it was not. */
export function compileJudged(schema: JsonObject, patience: Patience): SchemaCheck {
  const compiled = withinTime(COMPILE_JUDGED_MS, () => compileAlone(schema))
  return patientCheck(compiled, schema, patience)
}

/** A schema for a thread that others wait for. */
export interface QuickSchema {
  /** Whether no value of so many bytes can take long. */
  isSafe(bytes: number): boolean
  /** Throws {@link TimeLimitError} where the value takes longer than it may. */
  check: SchemaCheck
}

/** How long others may have to wait for one schema to be compiled, and for one value to be checked. */
export interface QuickLimits {
  compileMs: number
  checkMs: number
  /** What stops the work that takes longer. */
  stop?: typeof stoppedAfter
}

/** Compiles a schema as {@link compileJudged} does. Throws {@link TimeLimitError} where that takes longer than it may. */
export function compileQuickly(schema: JsonObject, limits: QuickLimits): QuickSchema {
  const { compileMs, checkMs, stop = stoppedAfter } = limits
  const compiled = stop(compileMs, () => compileAlone(schema))
  const isSafe = safeSizes(compiled, schema)
  const run = <T>(work: () => T) => stop(checkMs, work)
  return { isSafe, check: checkWith(compiled, isSafe, run) }
}

/** What is said of an input whose check was given up, or could not even begin. */
export function notChecked(root: string): FieldErrors {
  return {
    [root]: ['cannot be checked: its schema refers to itself without end, takes too long, or does not compile.'],
  }
}

/** Why a schema cannot describe a capability's input, which is always an object; null when it can. */
export function inputRootProblem(schema: JsonObject): string | null {
  const type = schema['type']
  if (type === undefined || type === 'object') return null
  return 'must describe an object at its root (type: object): capability input is a JSON object.'
}

function patientCheck(compiled: Compiled, schema: JsonObject, patience: Patience): SchemaCheck {
  const check = checkWith(compiled, safeSizes(compiled, schema), (work) => patience.run(work))
  return (value, root, bytes) => {
    try {
      return check(value, root, bytes)
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error
      return notChecked(root)
    }
  }
}

function safeSizes({ instructions }: Compiled, schema: JsonObject): QuickSchema['isSafe'] {
  const text = JSON.stringify(schema)
  const weight = UNBOUNDED.test(text) ? Number.POSITIVE_INFINITY : text.length + INSTRUCTION_WEIGHT * instructions
  return (bytes) => weight * bytes < SAFE_PRODUCT
}

/** `run` is for the checks that may take long. */
function checkWith({ validate }: Compiled, isSafe: QuickSchema['isSafe'], run: <T>(work: () => T) => T): SchemaCheck {
  return (value, root, bytes = jsonBytes(value)) => {
    try {
      const fits = isSafe(bytes) ? validate(value) : run(() => validate(value))
      return fits ? null : schemaFaults(validate.errors ?? [], root)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return notChecked(root)
    }
  }
}

function problemOf(error: unknown): string {
  if (error instanceof TimeLimitError) return 'takes too long to check: make it smaller, with fewer references.'
  if (error instanceof RangeError) return 'is nested too deeply, or refers to itself without end.'
  const message = error instanceof Error ? error.message : String(error)
  const reference = /can't resolve reference (\S+)/.exec(message)
  if (reference) return `has a $ref that leads out of the schema (${reference[1]}): inline what it refers to.`
  const unknown = /no schema with key or ref "([^"]+)"/.exec(message)
  if (unknown) return `names a $schema that is not supported (${unknown[1]}): use 2020-12 or draft-07.`
  return `is not valid JSON Schema: ${message}`
}
