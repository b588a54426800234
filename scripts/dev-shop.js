import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The account of the shop's owner, on a server of a developer's own. */
export const OWNER = { email: 'owner@shop.example.com', password: 'hollow-pine-demo' }

const run = promisify(execFile)

/** @typedef {Record<'SVC_API_KEY' | 'SVC_PUBLIC_KEY' | 'SVC_RUNTIME_ID' | 'SVC_RUNTIME_SECRET' | 'SVC_BASE_URL', string>} Credentials */

/**
 * Makes the account and the runtime at the first run, and remembers them in the folder.
 * @param {{ folder: string, server: string, shop: string, env: NodeJS.ProcessEnv }} place
 * @returns {Promise<Credentials>}
 */
export async function connectShop({ folder, server, shop, env }) {
  const file = join(folder, 'shop.json')
  if (existsSync(file)) return { ...JSON.parse(readFileSync(file, 'utf8')), SVC_BASE_URL: server }
  await post(`${server}/v1/auth/sign-up`, OWNER)
  const admin = ['packages/server/dist/bundle/admin.js', 'create-owner', '--email', OWNER.email, '--tier', 'pro']
  const { apiKey } = JSON.parse((await run(process.execPath, admin, { env })).stdout)
  const runtime = await post(`${server}/v1/runtimes`, { name: 'Hollow Pine', endpoint: `${shop}/svc` }, apiKey)
  const credentials = {
    SVC_API_KEY: runtime.deployKey,
    SVC_PUBLIC_KEY: runtime.publicKey,
    SVC_RUNTIME_ID: runtime.runtimeId,
    SVC_RUNTIME_SECRET: runtime.secret,
  }
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 })
  return { ...credentials, SVC_BASE_URL: server }
}

/**
 * Runs `svc deploy` in the shop's folder.
 * @param {{ credentials: Credentials, shop: string, tell: (name: string, line: string) => void }} deployment
 */
export async function deployShop({ credentials, shop, tell }) {
  const env = { ...process.env, ...credentials, SHOP_ENDPOINT: `${shop}/svc` }
  const cli = ['../../packages/cli/bin/svc.js', 'deploy', '--if-changed', '--allow-breaking']
  const { stdout, stderr } = await run(process.execPath, cli, { cwd: 'examples/shop', env }).catch((error) => error)
  for (const line of `${stdout}${stderr}`.trim().split('\n')) tell('deploy', line)
}

/**
 * @param {string} url
 * @param {object} body
 * @param {string} [key]
 */
async function post(url, body, key) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return await response.json()
}
