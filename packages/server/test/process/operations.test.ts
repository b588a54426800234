import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { startOtlpDouble } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { VERSION } from '../../src/lib/version.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, failToStart, startServerProcess } from './server-process.ts'

const DEMO = { SVC_MODEL: 'demo:rules' }

async function get(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { headers: { connection: 'close' } })
  return { status: response.status, text: await response.text() }
}

test('the operations port has metrics and readiness, and the service’s own port has neither', async () => {
  const server = await startServerHere({ ...DEMO, SVC_DATA_DIR: createFolder(), SVC_OPS_PORT: '0' })
  const [, ops = ''] = /^ops +(http:\S+),/m.exec(server.summary) ?? []
  await get(`${server.url}/health`)
  const metrics = await get(`${ops}/metrics`)
  expect(metrics.status).toBe(200)
  expect(metrics.text).toContain('svc_http_request_duration_seconds_count{method="GET",route="/health",status="2xx"} 1')
  const named = ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'svc_lease_held 1', 'svc_draining 0']
  for (const name of [...named, `svc_build_info{version="${VERSION}",nodejs="${process.version}"} 1`]) {
    expect(metrics.text).toContain(name)
  }
  expect(await get(`${ops}/ready`)).toMatchObject({ status: 200, text: expect.stringContaining('"ready":true') })
  expect(await get(`${ops}/live`)).toMatchObject({ status: 200 })
  for (const path of ['/metrics', '/ready', '/live']) expect((await get(server.url + path)).status).toBe(404)
})

test('without its variable there is no such port', async () => {
  const { summary } = await startServerHere({ ...DEMO, SVC_DATA_DIR: createFolder() })
  expect(summary).not.toContain('ops')
})

test('after SIGTERM a server is not ready from the first moment, and takes requests until the delay is over', async () => {
  const environment = { ...DEMO, SVC_DATA_DIR: createFolder(), SVC_OPS_PORT: '0', SVC_DRAIN_DELAY_MS: '3000' }
  const server = await startServerProcess(environment)
  const { 1: ops = '' } = await server.printed(/^ops +(http:\S+),/m)
  server.child.kill('SIGTERM')
  let readiness = await get(`${ops}/ready`)
  // The signal takes its way.
  while (readiness.status === 200) readiness = await get(`${ops}/ready`)
  expect(readiness).toMatchObject({ status: 503, text: expect.stringContaining('"state":"draining"') })
  expect((await get(`${ops}/metrics`)).text).toContain('\nsvc_draining 1\n')
  // A kept connection would lead here after the balancer has looked elsewhere.
  const kept = new Agent({ keepAlive: true })
  onTestFinished(() => kept.destroy())
  const [answer] = await once(request(`${server.url}/health`, { agent: kept }).end(), 'response')
  answer.resume()
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
  expect(await server.ended).toMatchObject({ code: 0 })
})

test('spans arrive at the configured receiver, the last ones at the end; its headers are in no output', async () => {
  const receiver = await startOtlpDouble()
  onTestFinished(() => receiver.close())
  const secret = randomBytes(12).toString('hex')
  const server = await startServerHere({
    ...DEMO,
    SVC_DATA_DIR: createFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret}`,
    OTEL_SERVICE_NAME: 'svc-of-a-test',
  })
  await get(`${server.url}/health`)
  await server.stop()
  expect(receiver.spans).toMatchObject([{ name: 'GET /health', attributes: { 'http.response.status_code': 200 } }])
  expect(receiver.resource).toMatchObject({ 'service.name': 'svc-of-a-test' })
  expect(server.log()).toContain('stopped')
  expect(server.summary + server.log()).not.toContain(secret)
})

test('a receiver that is not there keeps nobody waiting, neither requests nor the end', async () => {
  const environment = { ...DEMO, SVC_DATA_DIR: createFolder(), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  const server = await startServerHere(environment)
  expect((await get(`${server.url}/health`)).status).toBe(200)
  const startedAt = performance.now()
  await server.stop()
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test('a protocol that is not spoken is a fault of its variable', async () => {
  const { code, stderr } = await failToStart({
    ...DEMO,
    SVC_DATA_DIR: createFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  })
  expect(code).toBe(1)
  expect(stderr).toContain('OTEL_EXPORTER_OTLP_PROTOCOL must be http/json')
})
