import type { EndUsers } from '@svc/contract'
import { type IssuerDouble, type IssuerDoubleOptions, startIssuerDouble } from '@svc/testkit'
import { onTestFinished } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { createTestClock } from './clock.ts'
import { callTool, mcpPath } from './mcp.ts'
import { deployed, type Scene, type SceneOptions, setScene } from './scene.ts'
import { capability } from './service.ts'

/** What only a signed-in user may call, beside `echo`. */
const CAPABILITIES = [capability('echo'), capability('mine', { requiresEndUser: true })]

export interface SignInScene extends Scene {
  issuer: IssuerDouble
  /** What `aud` names. */
  resource: string
  /** A token of the issuer for this runtime. */
  token: IssuerDouble['sign']
}

type SignInOptions = SceneOptions & { endUsers?: Partial<EndUsers>; issuerOptions?: IssuerDoubleOptions }

/** A runtime whose end users sign in at a double, and which is deployed with `echo` and `mine`. */
export async function setSignInScene(database: Database, options: SignInOptions = {}): Promise<SignInScene> {
  const { endUsers, issuerOptions, manifest, clock = createTestClock(), ...rest } = options
  const issuer = await startIssuerDouble({ now: clock.now, ...issuerOptions })
  onTestFinished(() => issuer.close())
  const handle = { mine: () => ({ output: { orders: 1 } }), ...rest.handle }
  const deployment = { capabilities: CAPABILITIES, ...manifest, endUsers: { issuer: issuer.issuer, ...endUsers } }
  const scene = await setScene(database, { tier: 'enterprise', ...rest, clock, handle, manifest: deployment })
  const resource = `https://svc.test${mcpPath(scene)}`
  const token: IssuerDouble['sign'] = (claims, header) => issuer.sign({ aud: resource, ...claims }, header)
  return { ...scene, issuer, resource, token }
}

/** Deploys the same capabilities with other settings of the sign-in. */
export function deployedWith({ service, runtime }: Scene, endUsers: EndUsers | undefined) {
  return deployed(service, runtime, { capabilities: CAPABILITIES, ...(endUsers && { endUsers }) })
}

/** Calls a tool with a token. */
export function callWith(scene: Scene, token: string, name = 'mine', input?: object) {
  return callTool(scene, name, input, { headers: { authorization: `Bearer ${token}` } })
}
