import { CreatedRuntime, Session } from '@svc/contract'
import type { ControlPlane } from './control-plane.ts'
import { requestJson } from './request-json.ts'

/** What the owner of an example signs in to the dashboard with. */
export interface Owner {
  email: string
  password: string
}

export interface Registered {
  /** Of the owner’s account. */
  apiKey: string
  runtime: CreatedRuntime
}

/** Makes an account that can sign in, and registers its runtime with the endpoint. */
export async function register(
  controlPlane: ControlPlane,
  { owner, name, endpoint }: { owner: Owner; name: string; endpoint: string },
): Promise<Registered> {
  const signedUp = { status: 201, schema: Session }
  await requestJson(`${controlPlane.url}/v1/auth/sign-up`, { method: 'POST', body: owner }, signedUp)
  const { apiKey } = await controlPlane.createOwner(owner.email)
  const asked = { method: 'POST' as const, key: apiKey, body: { name, endpoint } }
  const created = { status: 201, schema: CreatedRuntime }
  return { apiKey, runtime: await requestJson(`${controlPlane.url}/v1/runtimes`, asked, created) }
}
