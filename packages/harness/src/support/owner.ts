import { CreatedRuntime, type DeploymentManifestInput, type JsonObject, type Tier } from '@svc/contract'
import { z } from 'zod'
import { runAdmin, type ServerOptions } from './server.ts'

export interface HarnessOwner {
  ownerId: string
  email: string
  apiKey: string
}

const Owner = z.object({ ownerId: z.string(), email: z.string(), apiKey: z.string() })

/** Makes an account with the operator's command, beside a running server or without one. */
export async function createOwner(options: ServerOptions, email: string, tier: Tier): Promise<HarnessOwner> {
  return Owner.parse(await runAdmin(options, ['create-owner', '--email', email, '--tier', tier]))
}

/** Registers a runtime over the API. Throws the answer where it is refused. */
export async function registerRuntime(
  url: string,
  owner: HarnessOwner,
  fields: { name: string; endpoint?: string },
): Promise<CreatedRuntime> {
  return CreatedRuntime.parse(await post(`${url}/v1/runtimes`, owner.apiKey, fields))
}

/** Gives a runtime another endpoint. */
export async function moveRuntime(
  url: string,
  owner: HarnessOwner,
  { runtimeId, endpoint }: { runtimeId: string; endpoint: string },
): Promise<void> {
  await post(`${url}/v1/runtimes`, owner.apiKey, { name: 'Moved', runtimeId, endpoint })
}

/** Deploys capabilities that take any object, unless the manifest says otherwise. */
export async function deploy(
  url: string,
  runtime: CreatedRuntime,
  names: readonly [string, ...string[]],
  manifest: Partial<DeploymentManifestInput> = {},
): Promise<void> {
  const capabilities = names.map((name) => ({
    name,
    version: '1.0.0',
    description: `Does ${name}.`,
    actions: [{ name, inputSchema: ANYTHING }],
  }))
  const body = { manifest: { schemaVersion: 2, website: WEBSITE, capabilities, ...manifest } }
  await post(`${url}/v1/deployments`, runtime.deployKey, body)
}

const ANYTHING: JsonObject = { type: 'object' }
const WEBSITE = { name: 'Harness', url: 'https://shop.example.com' }

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
