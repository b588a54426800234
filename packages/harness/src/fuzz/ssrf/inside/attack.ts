import { join } from 'node:path'
import { CreatedRuntime } from '@svc/contract'
import Database from 'better-sqlite3'
import { z } from 'zod'
import type { Client, Heard } from '../../../support/client.ts'
import { deploy, type HarnessOwner } from '../../../support/owner.ts'

/** The service in the namespace, and what it is attacked with. */
export interface Target {
  url: string
  client: Client
  owner: HarnessOwner
  /** Folder of the server's database. */
  folder: string
}

/** The words of a call that failed; null where it went well. */
export type CallEnd = { status: number; message: string | null }

const Failed = z.object({ error: z.object({ message: z.string() }) })

/** A runtime with one capability. */
export async function addRuntime(
  { url, owner, client }: Target,
  name: string,
  endpoint?: string,
): Promise<CreatedRuntime> {
  const body = { name, ...(endpoint === undefined ? {} : { endpoint }) }
  const heard = await client.send({ method: 'POST', path: '/v1/runtimes', key: owner.apiKey, body })
  if (heard.kind !== 'answer' || heard.status !== 201) throw new Error(`registering: ${JSON.stringify(heard)}`)
  const runtime = CreatedRuntime.parse(JSON.parse(heard.text))
  await deploy(url, runtime, ['probe'])
  return runtime
}

/** True where the address was taken by registration. */
export async function register({ client, owner }: Target, runtimeId: string, endpoint: string): Promise<boolean> {
  const body = { runtimeId, name: 'Probe', endpoint }
  return isTaken(await client.send({ method: 'POST', path: '/v1/runtimes', key: owner.apiKey, body }))
}

/** True where the address was taken with a deployment. */
export async function deployTo({ client }: Target, runtime: CreatedRuntime, endpoint: string): Promise<boolean> {
  const action = { name: 'probe', inputSchema: { type: 'object' } }
  const capability = { name: 'probe', version: '1.0.0', description: 'Probes.', actions: [action] }
  const body = { manifest: { schemaVersion: 2, capabilities: [capability], endpoint } }
  return isTaken(await client.send({ method: 'POST', path: '/v1/deployments', key: runtime.deployKey, body }))
}

/** Writes an address past every check, as if one of them had been wrong: what is left is the guard of the call itself. */
export function forceEndpoint({ folder }: Target, runtimeId: string, endpoint: string): void {
  const database = new Database(join(folder, 'svc.db'), { timeout: 5_000 })
  try {
    const sql = 'update runtimes set endpoint = ?, revision = revision + 1 where runtime_id = ?'
    if (database.prepare(sql).run(endpoint, runtimeId).changes !== 1) throw new Error(`${runtimeId} is not there`)
  } finally {
    database.close()
  }
}

/** Lets the service call the runtime's endpoint, as a stranger would. */
export async function callThrough({ client }: Target, runtimeId: string): Promise<CallEnd> {
  const path = `/v1/capabilities/${runtimeId}/probe`
  const heard = await client.send({ method: 'POST', path, body: { input: {} } })
  if (heard.kind !== 'answer') throw new Error(`a call broke off: ${heard.reason}`)
  const failed = Failed.safeParse(JSON.parse(heard.text))
  return { status: heard.status, message: failed.success ? failed.data.error.message : null }
}

function isTaken(heard: Heard): boolean {
  if (heard.kind !== 'answer' || heard.status >= 500) throw new Error(`no answer: ${JSON.stringify(heard)}`)
  return heard.status < 300
}
