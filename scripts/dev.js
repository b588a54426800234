import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startProcesses, untilAnswers } from './dev-processes.js'
import { connectShop, deployShop, OWNER } from './dev-shop.js'

// The server, the dashboard and the shop in one terminal; each is started again, or reloaded, when its source is saved.
process.chdir(join(import.meta.dirname, '..'))
const { PORT = '8787', DASHBOARD_PORT = '5173', SHOP_PORT = '8788', SVC_DEV_DIR = '.svc-dev' } = process.env
const folder = resolve(SVC_DEV_DIR)
const server = `http://127.0.0.1:${PORT}`
const shop = `http://127.0.0.1:${SHOP_PORT}`

mkdirSync(folder, { recursive: true, mode: 0o700 })
const serverEnv = {
  ...process.env,
  HOST: '127.0.0.1',
  PORT,
  SVC_BASE_URL: server,
  SVC_DATA_DIR: join(folder, 'server'),
}
const processes = startProcesses()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void processes.stop())

try {
  processes.start('types', ['node_modules/typescript/bin/tsc', '-b', '--watch', '--preserveWatchOutput'])
  processes.start('server', ['--watch', '--watch-preserve-output', 'packages/server/dist/main.js'], { env: serverEnv })
  await untilAnswers(`${server}/health`)

  const credentials = await connectShop({ folder, server, shop, env: serverEnv })
  processes.start('shop', ['--watch', '--watch-preserve-output', 'dist/main.js'], {
    cwd: 'examples/shop',
    env: {
      ...process.env,
      ...credentials,
      HOST: '127.0.0.1',
      PORT: SHOP_PORT,
      SHOP_DATABASE: join(folder, 'shop.sqlite'),
    },
    // The model knows the shop's capabilities as they were deployed last.
    onLine: (line) => line.startsWith('The shop is at') && deployShop({ credentials, shop, tell: processes.tell }),
  })
  await untilAnswers(shop)

  const vite = ['../../node_modules/vite/bin/vite.js', '--port', DASHBOARD_PORT, '--strictPort', '--host', '127.0.0.1']
  processes.start('dashboard', vite, { cwd: 'packages/dashboard', env: { ...process.env, PORT } })
  const dashboard = `http://127.0.0.1:${DASHBOARD_PORT}/dashboard/`
  await untilAnswers(dashboard)

  processes.tell('dev', `the dashboard: ${dashboard} (${OWNER.email}, password ${OWNER.password})`)
  processes.tell('dev', `the shop:      ${shop}`)
  processes.tell('dev', `the server:    ${server} (data in ${folder}). Ctrl+C stops all three.`)
} catch (error) {
  if (!processes.areStopping()) {
    processes.tell('dev', error instanceof Error ? error.message : String(error))
    process.exitCode = 1
    void processes.stop()
  }
}
