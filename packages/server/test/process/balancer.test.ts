import { readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { locate, needs } from '@svc/testkit/needs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { busy, internal } from '../../src/errors.ts'
import { ANY_ORIGIN } from '../../src/http/cors.ts'
import { describeEngine, type TestEngine } from '../support/engines.ts'
import { openStream } from '../support/event-stream.ts'
import { statusOver } from '../support/raw-http.ts'
import { saying } from '../support/scene.ts'
import { startNameServer } from './name-server.ts'
import { freePort, HOSTS, listen, startReplicas, untilAnswered } from './replicas-behind.ts'
import { createFolder } from './server-process.ts'

// A server and a balancer, each in a process of its own.
vi.setConfig({ testTimeout: 240_000 })

const CONFIG = fileURLToPath(new URL('../../../../deploy/haproxy.cfg', import.meta.url))

describeEngine('postgres', 'three replicas behind the balancer of compose.yaml', behindBalancer, 'haproxy')

function behindBalancer(engine: TestEngine): void {
  test('events arrive as they are streamed; a database that is away takes no replica out; one may be killed, and one stopped', async () => {
    const service = await startReplicas(engine)
    const { gate, relay, killed, stopped, opsPort } = service
    const publicPort = await freePort()
    await startBalancer({ ...service, publicPort, dnsPort: await startNameServer(HOSTS) })
    const { url, runtime, call } = await service.publishAt(`http://127.0.0.1:${publicPort}`)

    const stream = await openStream(`${url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() })
    expect(stream.headers['content-type']).toContain('text/event-stream')
    // It is here, and the capability has not answered yet.
    expect(await stream.next()).toMatchObject({ type: 'capability_start' })
    gate.open()
    const events = await stream.rest()
    expect(events.map(({ type }) => type)).toEqual(['capability_end', 'text', 'text', 'done'])

    const echo = `${url}/v1/capabilities/${runtime.runtimeId}/echo`
    const answers = await answersDuring(echo, {}, async () => {
      relay.shut('now')
      const startedAt = performance.now()
      while (performance.now() - startedAt < 2_000) await call()
      relay.open()
      while ((await call()).status !== 200);
    })
    expect(answers.filter(({ isOurs }) => !isOurs)).toEqual([])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 500]))

    killed.child.kill('SIGKILL')
    await killed.ended
    for (let count = 0; count < 20; count += 1) expect((await call()).status).toBe(200)

    const statuses = await answersDuring(echo, { connection: 'close' }, async () => {
      const ended = stopped.stop()
      expect(await readyOf(HOSTS[1] ?? '', opsPort, ended)).toBe(503)
      await ended
    })
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('where no replica is left, the balancer says so as the service would', async () => {
    const [port, opsPort, publicPort] = [await freePort(), await freePort(), await freePort()]
    await startBalancer({ port, opsPort, publicPort, dnsPort: await startNameServer([]) })
    const url = `http://127.0.0.1:${publicPort}/v1/runtime/execute`
    let answer: Response | undefined
    // Its port is open a moment after its start.
    while (!answer) answer = await fetch(url, { method: 'POST' }).catch(() => undefined)
    expect(answer.status).toBe(429)
    expect(Object.fromEntries(answer.headers)).toMatchObject({ ...OWN_HEADERS, 'retry-after': '1' })
    expect(answer.headers.has('x-svc-balancer')).toBe(false)
    expect(await answer.json()).toEqual(busy().toBody())
    // Without leave to ask a page would see none of it.
    const preflight = await fetch(url, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, *',
    })
    expect((await fetch(`http://127.0.0.1:${publicPort}/v1/runtimes`, { method: 'OPTIONS' })).status).toBe(429)
  })

  // An older one does not know the state in which a newcomer begins.
  needs('haproxy-3')('a balancer that looks names up again', () => {
    test('replicas that have come and do not listen yet are sent nothing', async () => {
      const [port, opsPort, publicPort] = [await freePort(), await freePort(), await freePort()]
      const [host = '', ...newcomers] = HOSTS
      for (const place of [port, opsPort]) await listen({ host, port: place }, sayReady)
      const addresses = [host]
      await startBalancer({ port, opsPort, publicPort, dnsPort: await startNameServer(addresses) })
      const once = { headers: { connection: 'close' } }
      const get = () => fetch(`http://127.0.0.1:${publicPort}/`, once).then(({ status }) => status)
      await untilAnswered(`http://127.0.0.1:${publicPort}/`)
      addresses.push(...newcomers)
      const statuses: number[] = []
      const startedAt = performance.now()
      // It asks for names again every two seconds.
      while (performance.now() - startedAt < 4_000) statuses.push(...(await Promise.all([get(), get(), get(), get()])))
      expect(statuses.filter((status) => status !== 200)).toEqual([])
    })
  })

  test('one network has half of all connections at most, and another one is answered', async () => {
    const [port, opsPort, publicPort] = [await freePort(), await freePort(), await freePort()]
    await startBalancer({ port, opsPort, publicPort, dnsPort: await startNameServer([]), connections: 8 })
    // Answers of its own that keep the connection.
    const head = 'OPTIONS /v1/runtime/execute HTTP/1.1\r\nhost: a\r\n\r\n'
    const closing = head.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')
    while ((await statusOver(publicPort, '127.0.0.3', closing)) === null);
    const open = await Promise.all(Array.from({ length: 8 }, () => statusOver(publicPort, '127.0.0.1', head)))
    expect(open.filter((status) => status === 204)).toHaveLength(4)
    expect(await statusOver(publicPort, '127.0.0.2', head)).toBe(204)
  })

  test('a replica that breaks off is told as a fault, and what one says itself stays', async () => {
    const [port, opsPort, publicPort] = [await freePort(), await freePort(), await freePort()]
    const [host = ''] = HOSTS
    await listen({ host, port: opsPort }, sayReady)
    await listen({ host, port }, ({ url, socket }, response) => {
      if (url === '/break') socket.destroy()
      else response.writeHead(503).end('its own')
    })
    await startBalancer({ port, opsPort, publicPort, dnsPort: await startNameServer([host]) })
    // On a connection that it has used before the balancer says nothing then: it closes that one, too.
    const once = { headers: { connection: 'close' } }
    const get = (path: string) => fetch(`http://127.0.0.1:${publicPort}${path}`, once).catch(() => undefined)
    let own = await get('/')
    while (own?.status !== 503) own = await get('/')
    expect(await own.text()).toBe('its own')
    const broken = await get('/break')
    expect(broken?.status).toBe(500)
    expect(Object.fromEntries(broken?.headers ?? [])).toMatchObject(OWN_HEADERS)
    expect(await broken?.json()).toEqual(internal(null).toBody())
  })
}

/** What each answer of the balancer's own has, as the service's refusals do. */
const OWN_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-request-id': expect.stringMatching(/^[\w-]{8,}$/),
  ...ANY_ORIGIN,
}

/** Readiness, as far as the balancer reads it: without a body it would take the replica for one that drains. */
const sayReady: RequestListener = (_request, response) => void response.end('{"ready":true}')

/** What four callers hear that call a capability again and again until this has been done. */
async function answersDuring(url: string, headers: Record<string, string>, action: () => Promise<void>) {
  const answers: { status: number; isOurs: boolean }[] = []
  let isOver = false
  const callers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' }
      const answer = await fetch(url, options)
      await answer.text()
      answers.push({ status: answer.status, isOurs: answer.headers.has('x-request-id') })
    }
  })
  await action()
  isOver = true
  await Promise.all(callers)
  return answers
}

/** The status of the replica's readiness once it is not 200 any more. */
async function readyOf(host: string, opsPort: number, ended: Promise<void>): Promise<number> {
  const hasEnded = ended.then(() => 0)
  for (;;) {
    const asked = fetch(`http://${host}:${opsPort}/ready`, { headers: { connection: 'close' } })
    const status = await Promise.race([hasEnded, asked.then((answer) => answer.status)])
    if (status !== 200) return status
  }
}

interface Ports {
  port: number
  opsPort: number
  publicPort: number
  dnsPort: number
  /** How many it takes at once, in place of what the file says. */
  connections?: number
}

/** The balancer with the very file of the composition, but for where things are. */
async function startBalancer({ port, opsPort, publicPort, dnsPort, connections = 10_000 }: Ports): Promise<void> {
  const places = [
    ['bind :8787', `bind 127.0.0.1:${publicPort}`],
    ['127.0.0.11:53', `127.0.0.1:${dnsPort}`],
    ['check port 9464', `check port ${opsPort}`],
    ['svc:8787', `svc:${port}`],
    ['10000', String(connections)],
  ] as const
  let config = readFileSync(CONFIG, 'utf8')
  for (const [inContainers, here] of places) {
    if (!config.includes(inContainers)) throw new Error(`the balancer’s file does not say “${inContainers}”`)
    config = config.replaceAll(inContainers, here)
  }
  const file = join(createFolder(), 'haproxy.cfg')
  writeFileSync(file, config)
  const { child } = startProgram(locate('haproxy'), ['-db', '-f', file], { env: { PATH: process.env['PATH'] } })
  onTestFinished(() => void child.kill('SIGKILL'))
}
