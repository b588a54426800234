import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTeller, startControlPlane } from '@svc/example-kit'
import { startShop } from '../server.ts'
import { DEMO_CUSTOMERS } from '../store/seed.ts'
import { DEMO_OWNER, runDemo } from './run-demo.ts'

const ANY_PORTS = { controlPlane: 0, shop: 0 }

/** Where both stay up: 8787 and 8788, or where `PORT` and `SHOP_PORT` say. */
function servingPorts(): typeof ANY_PORTS {
  const { PORT = '8787', SHOP_PORT = '8788' } = process.env
  return { controlPlane: Number(PORT), shop: Number(SHOP_PORT) }
}

/** Runs the demo in a folder that is gone afterwards. With `--serve` it stays up until it is interrupted. */
async function main(args: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'))
  try {
    await playIn(folder, args.includes('--serve'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function playIn(folder: string, isServing: boolean): Promise<void> {
  const tell = createTeller(process.stdout)
  const ports = isServing ? servingPorts() : ANY_PORTS
  const interruption = untilInterrupted()
  const controlPlane = await startControlPlane({ folder, port: ports.controlPlane })
  try {
    const shop = await startShop({ port: ports.shop, databaseFile: join(folder, 'shop.sqlite') })
    try {
      const played = runDemo(tell, { controlPlane, shop }).then((runtimeId) => {
        if (isServing) haveALook(tell, { controlPlane: controlPlane.url, shop: shop.url, runtimeId })
        return isServing
      })
      const isServed = await Promise.race([played, interruption])
      if (isServed) await interruption
    } finally {
      await shop.close()
    }
  } finally {
    await controlPlane.stop()
  }
}

function haveALook(
  tell: ReturnType<typeof createTeller>,
  urls: { controlPlane: string; shop: string; runtimeId: string },
): void {
  tell.step('Have a look')
  const [customer] = DEMO_CUSTOMERS
  tell.fact('the dashboard', `${urls.controlPlane}/dashboard\n${DEMO_OWNER.email} with ${DEMO_OWNER.password}`)
  tell.fact('the shop', `${urls.shop}\n${customer.email} with ${customer.password}: search, order, pay`)
  tell.fact('the manifest', `${urls.controlPlane}/v1/runtime/${urls.runtimeId}/manifest`)
  tell.fact('the MCP server', `${urls.controlPlane}/v1/mcp/${urls.runtimeId}`)
  tell.line('Ctrl+C stops both and removes their data.')
}

/** From the first step on, and each time: no Ctrl+C may leave a control plane behind that nobody stops. */
function untilInterrupted(): Promise<false> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(false))
  })
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`\nThe demo failed: ${reason}\n`)
  process.exitCode = 1
})
