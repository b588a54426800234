import { type FieldErrors, isJsonObject, type JsonObject, jsonSchemaCheck } from '@svc/contract'
import { callCapability } from '@svc/sdk/testing'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, commandFailure, usageFailure } from '../failures.ts'
import { nearestName } from '../nearest-name.ts'
import { fieldLines } from '../terminal/field-lines.ts'
import { printableJson } from '../terminal/printable.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withoutToken } from '../terminal/without-token.ts'
import { stackOf } from '../thrown.ts'
import { inspectProject } from './inspect-project.ts'
import { readEndUserToken, readInput, readMetadata, readPermissions } from './read-call-flags.ts'

/** The options of `svc dev call` as they were typed. */
export type CallFlags = {
  readonly input?: string
  readonly inputFile?: string
  readonly endUserTokenEnv?: string
  readonly permissions?: string
  readonly metadata?: string
}

type Input = { readonly capability: string; readonly flags: CallFlags }

/** `svc dev call`: input against the published schema, then the capability by the way of a signed call. */
export async function callOne(deps: CliDeps, terminal: Terminal, { capability: name, flags }: Input): Promise<void> {
  const { runtime, capabilities } = await inspectProject(deps, terminal)
  const capability = runtime.find(name)
  const schema = capabilities.find((each) => each.name === name)?.inputSchema ?? null
  const names = capabilities.map((each) => each.name)
  if (!capability) throw unknownCapability(name, names)
  const metadata = readMetadata(flags)
  const endUserToken = readEndUserToken(deps, flags)
  const permissions = readPermissions(flags)
  const input = checked(name, schema, await readInput(deps, flags))

  const done = terminal.progress(`Calling ${name}`)
  const startedAt = deps.timers.now()
  const result = await callCapability(capability, input, {
    ...(metadata && { metadata }),
    ...(permissions && { permissions }),
    ...(endUserToken !== null && { endUserToken }),
    exposeErrors: true,
    onError: (error) => terminal.writeErr(`${withoutToken(stackOf(error), endUserToken)}\n`),
  }).finally(done)
  const durationMs = Math.round(deps.timers.now() - startedAt)

  terminal.note(`${name} ${result.ok ? 'answered' : 'failed'} after ${durationMs} ms`)
  if (!result.ok) {
    const message = `“${name}” failed (${result.code}): ${withoutToken(result.message, endUserToken)}`
    throw commandFailure(message, result.code === 'end_user_required' ? TOKEN_ADVICE : [])
  }
  if (!terminal.isJson) terminal.writeOut(`${printableJson(result.output)}\n`)
  terminal.result({ capability: name, output: result.output, durationMs })
}

const TOKEN_ADVICE = [
  'Put an end user’s token into an environment variable, and name that: --end-user-token-env SHOP_SESSION',
]

// As the control plane does before it signs a call: without a schema any object will do.
function checked(name: string, schema: JsonObject | null, input: unknown): JsonObject {
  if (!isJsonObject(input)) throw invalidInput(name, { input: ['must be a JSON object.'] })
  const faults = schema === null ? {} : jsonSchemaCheck(schema)(input)
  if (Object.keys(faults).length > 0) throw invalidInput(name, faults)
  return input
}

function invalidInput(name: string, fieldErrors: FieldErrors): CommandFailure {
  const message = `“${name}” was not called: the input does not satisfy its schema.`
  return new CommandFailure('failure', message, fieldLines(fieldErrors), { fieldErrors })
}

function unknownCapability(name: string, names: readonly string[]): CommandFailure {
  const nearest = nearestName(name, names)
  return usageFailure(`There is no capability “${name}” in this project.`, [
    ...(nearest === null ? [] : [`Did you mean ${nearest}?`]),
    names.length > 0 ? `There are ${names.join(', ')}.` : 'There are none.',
  ])
}
