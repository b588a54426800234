import { CreatedRuntime, Tier } from '@svc/contract'
import type { OwnerEndpoint } from '@svc/testkit'
import { pino } from 'pino'
import { z } from 'zod'
import { CommandError } from '../../src/admin/command-error.ts'
import { runAdmin } from '../../src/admin/run-admin.ts'
import { AppError } from '../../src/errors.ts'
import { capability, deployBody } from '../support/service.ts'

const NewOwner = z.strictObject({ ownerId: z.string(), email: z.string(), tier: Tier, apiKey: z.string() })

interface Answer {
  status: number
  body: unknown
}

/** JSON over HTTP, one request a connection. */
export async function ask(
  url: string,
  { key, body, method = body === undefined ? 'GET' : 'POST' }: { key?: string; body?: unknown; method?: string } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      connection: 'close',
      'content-type': 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** What create-owner prints, which must be one line. */
export function parseOwner(stdout: string): z.infer<typeof NewOwner> {
  const [line = '', ...rest] = stdout.split('\n')
  if (rest.join('') !== '') throw new Error(`more than one line: ${stdout}`)
  return NewOwner.parse(JSON.parse(line))
}

interface CommandEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs an operator's command in this process, with this for a password: a further process takes a second to start. */
export async function runAdminHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  password = '',
): Promise<CommandEnd> {
  const readPassword = () => Promise.resolve({ first: password, repeated: null })
  try {
    const result = await runAdmin(args, { env, logger: pino({ level: 'silent' }), readPassword })
    return { code: 0, stdout: `${JSON.stringify(result)}\n`, stderr: '' }
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof AppError)) throw error
    return { code: 1, stdout: '', stderr: `${error.message}\n` }
  }
}

export async function createOwner(env: Readonly<Record<string, string>>, tier: Tier = 'free') {
  const args = ['create-owner', '--email', 'owner@example.com', '--tier', tier]
  return parseOwner((await runAdminHere(args, env)).stdout)
}

/** Registers a runtime that answers at `endpoint` and deploys `echo` on it. */
export async function publish(url: string, apiKey: string, endpoint: OwnerEndpoint): Promise<CreatedRuntime> {
  const registered = await ask(`${url}/v1/runtimes`, { key: apiKey, body: { name: 'Shop', endpoint: endpoint.url } })
  const runtime = CreatedRuntime.parse(registered.body)
  endpoint.trust({ runtimeId: runtime.runtimeId, secrets: [runtime.secret] })
  const body = deployBody({ capabilities: [capability('echo')] })
  const { status } = await ask(`${url}/v1/deployments`, { key: runtime.deployKey, body })
  if (status !== 201) throw new Error(`the deployment was answered with ${status}`)
  return runtime
}
