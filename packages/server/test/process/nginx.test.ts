import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { locate } from '@svc/testkit/needs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { busy, internal } from '../../src/errors.ts'
import { ANY_ORIGIN } from '../../src/http/cors.ts'
import { deferred } from '../support/deferred.ts'
import { describeEngine, type TestEngine } from '../support/engines.ts'
import { openStream } from '../support/event-stream.ts'
import { saying } from '../support/scene.ts'
import { freePort, HOSTS, listen, startReplicas } from './replicas-behind.ts'
import { createFolder } from './server-process.ts'

// A server and a balancer, each in a process of its own.
vi.setConfig({ testTimeout: 240_000 })

const CONFIG = fileURLToPath(new URL('../../../../deploy/nginx.conf', import.meta.url))

describeEngine('postgres', 'three replicas behind deploy/nginx.conf', behindNginx, 'nginx')

function behindNginx(engine: TestEngine): void {
  async function startAll() {
    const service = await startReplicas(engine)
    const nginx = await startNginx(service.port)
    return { ...service, nginx, ...(await service.publishAt(nginx.url)) }
  }

  test('what is streamed arrives event by event; a killed replica is gone round; one marked as down loses nothing', async () => {
    const { url, runtime, gate, killed, stopped, call, nginx } = await startAll()
    const stream = await openStream(`${url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() })
    // It is here, and the capability has not answered yet.
    expect(await stream.next()).toMatchObject({ type: 'capability_start' })
    gate.open()
    expect((await stream.rest()).at(-1)).toMatchObject({ type: 'done', status: 'completed' })

    killed.child.kill('SIGKILL')
    await killed.ended
    for (let count = 0; count < 20; count += 1) expect((await call()).status).toBe(200)

    const statuses: number[] = []
    let isOver = false
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.push((await call()).status)
    })
    await nginx.markDown(HOSTS[1] ?? '')
    await stopped.stop()
    isOver = true
    await Promise.all(callers)
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })

  test('what nginx says itself it says as the service would, and what a replica says goes through', async () => {
    const port = await freePort()
    const { url } = await startNginx(port, { connections: 2 })
    const post = async (path: string, body = 'x') => {
      const answer = await fetch(url + path, { method: 'POST', body, headers: { connection: 'close' } })
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
    }
    const held: ServerResponse[] = []
    const full = deferred<void>()
    const none = await post('/')
    expect([none.status, JSON.parse(none.text)]).toEqual([429, busy().toBody()])
    expect(none.headers).toMatchObject({ ...OWN_HEADERS, 'retry-after': '1' })
    for (const host of HOSTS) {
      await listen({ host, port }, ({ url: path, socket }, response) => {
        if (path === '/break') socket.destroy()
        else if (path === '/wait') void (held.push(response) === 2 && full.resolve())
        else response.writeHead(503, { 'x-request-id': 'its-own-0001' }).end('its own')
      })
    }
    let own = await post('/')
    // Those that were not there are left out for two seconds.
    while (own.status === 429) own = await post('/')
    expect([own.status, own.text, own.headers['x-request-id']]).toEqual([503, 'its own', 'its-own-0001'])
    const broken = await post('/break')
    expect([broken.status, JSON.parse(broken.text)]).toEqual([500, internal(null).toBody()])
    expect(broken.headers).toMatchObject(OWN_HEADERS)
    expect(broken.headers).not.toHaveProperty('retry-after')
    const waiting = [post('/wait'), post('/wait')]
    await full.promise
    const third = await post('/')
    expect([third.status, JSON.parse(third.text)]).toEqual([429, busy().toBody()])
    expect(third.headers).toMatchObject({ ...OWN_HEADERS, 'retry-after': '1' })
    for (const response of held) response.end('at last')
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200, text: 'at last' })
    const large = await post('/', 'x'.repeat(3 * 1024 * 1024))
    expect([large.status, JSON.parse(large.text)]).toMatchObject([400, { error: { code: 'validation_error' } }])
  })
}

/** Headers that each answer of nginx's own has, as the service's refusals do. */
const OWN_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
  ...ANY_ORIGIN,
}

/** nginx with the file of the repository, but for where things are, before replicas on this port of each host. */
async function startNginx(port: number, { connections = 2_000 } = {}) {
  const publicPort = await freePort()
  const folder = createFolder()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const places = [
    ['worker_processes auto', 'worker_processes 1'],
    ['listen 8787', `listen 127.0.0.1:${publicPort}`],
    ['10.0.0.11:8787', `${HOSTS[0]}:${port}`],
    ['10.0.0.12:8787', `${HOSTS[1]}:${port}`],
    ['10.0.0.13:8787', `${HOSTS[2]}:${port}`],
    ['addresses 2000', `addresses ${connections}`],
    ['http {', `http { ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`],
  ] as const
  let config = readFileSync(CONFIG, 'utf8')
  for (const [there, here] of places) {
    if (!config.includes(there)) throw new Error(`the file does not say “${there}”`)
    config = config.replace(there, here)
  }
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, config)
  const globals = `daemon off; pid ${folder}/pid; error_log stderr notice;`
  const args = ['-p', folder, '-e', 'stderr', '-c', file, '-g', globals]
  const { child, logged } = startProgram(locate('nginx'), args, { env: { PATH: process.env['PATH'] } })
  onTestFinished(() => void child.kill('SIGTERM'))
  await logged(/start worker process /)
  return {
    url: `http://127.0.0.1:${publicPort}`,
    /** As an operator does: the word behind the server, and a reload, which is over when the old workers are. */
    async markDown(host: string) {
      writeFileSync(file, config.replace(`server ${host}:${port}`, `server ${host}:${port} down`))
      child.kill('SIGHUP')
      await logged(/worker process \d+ exited with code 0/)
    },
  }
}
