import { existsSync } from 'node:fs'
import { startShop } from './server.ts'

// Environment first, then the file: what is set already wins.
if (existsSync('.env')) process.loadEnvFile('.env')

const { env } = process
const shop = await startShop({
  port: Number(env.PORT ?? 8788),
  host: env.HOST,
  siteUrl: env.SHOP_URL,
  databaseFile: env.SHOP_DATABASE ?? '.svc-data/shop.sqlite',
  runtimeId: env.SVC_RUNTIME_ID,
  secret: env.SVC_RUNTIME_SECRET,
  baseUrl: env.SVC_BASE_URL,
  publicKey: env.SVC_PUBLIC_KEY,
})

const isConnected = Boolean(env.SVC_RUNTIME_ID && env.SVC_RUNTIME_SECRET)
process.stdout.write(
  [
    `The shop is at ${shop.url}`,
    `Its capabilities are at ${shop.url}/svc${isConnected ? '' : ' (not connected: set SVC_RUNTIME_ID and SVC_RUNTIME_SECRET)'}`,
    '',
  ].join('\n'),
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void shop.close())
