import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { findWebFiles, missingWebFiles, NO_WEB_FILES, type WebFiles } from '../../src/web/web-files.ts'
import { refusalOf } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { startForTest } from '../support/service.ts'

describeEngine('sqlite', 'pages for browsers', (engine) => {
  const database = useDatabase(engine)

  // holds API-07
  test('every address of the dashboard serves the same page, which is revalidated each time', async () => {
    const service = await startForTest(database(), { web: built() })
    for (const path of [
      '/dashboard',
      '/dashboard/',
      '/dashboard/runtimes/rt_1234',
      '/dashboard/executions?status=failed',
    ]) {
      const page = await service.send('GET', path)
      expect([path, page.statusCode, page.body]).toEqual([path, 200, PAGE])
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.headers['cache-control']).toBe('no-cache')
    }
  })

  // holds API-07
  test('the page may load only files of this origin, and cannot be framed', async () => {
    const service = await startForTest(database(), { web: built() })
    const { headers } = await service.send('GET', '/dashboard')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  test('files with a hash in their name are cached for good, and compressed on request', async () => {
    const service = await startForTest(database(), { web: built() })
    const plain = await service.send('GET', '/dashboard/assets/app-1a2b3c.js')
    expect([plain.statusCode, plain.body]).toEqual([200, SCRIPT])
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(plain.headers['content-type']).toBe('application/javascript; charset=utf-8')
    expect(plain.headers.vary).toBe('accept-encoding')
    const headers = { 'accept-encoding': 'gzip, br' }
    const packed = await service.send('GET', '/dashboard/assets/app-1a2b3c.js', { headers })
    expect([packed.headers['content-encoding'], packed.body]).toEqual(['br', 'packed'])
    // A cache in between hands one to nobody who asked for the other.
    expect(packed.headers.vary).toBe('accept-encoding')
  })

  test('an unknown file, and a path outside the folder, is the same 404 as any other route', async () => {
    const service = await startForTest(database(), { web: built() })
    const absent = [
      '/dashboard/assets/gone.js',
      '/dashboard/..%2fsecret.txt',
      '/dashboard/%2e%2e/secret.txt',
      '/dashboard/.vite/manifest.json',
    ]
    for (const path of absent) {
      expect([path, refusalOf(await service.send('GET', path), 'not_found')]).toEqual([
        path,
        'The route was not found.',
      ])
    }
  })

  // holds API-08
  test('the widget’s script is for pages of any origin, and revalidated by its ETag', async () => {
    const service = await startForTest(database(), { web: built() })
    const first = await service.send('GET', '/widget.js')
    expect([first.statusCode, first.body]).toEqual([200, SCRIPT])
    expect(first.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=300',
      'content-type': 'application/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    const again = await service.send('GET', '/widget.js', { headers: { 'if-none-match': String(first.headers.etag) } })
    expect(again.statusCode).toBe(304)
  })

  // holds API-08
  test('the built widget has at most 30 KB compressed, and the same content as uncompressed', async () => {
    const service = await startForTest(database(), { web: findWebFiles() })
    const plain = await service.send('GET', '/widget.js')
    expect([plain.statusCode, plain.headers['content-encoding'], plain.headers.vary]).toEqual([
      200,
      undefined,
      'accept-encoding',
    ])
    for (const encoding of ['gzip', 'br']) {
      const packed = await service.send('GET', '/widget.js', { headers: { 'accept-encoding': encoding } })
      expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([encoding, 'accept-encoding'])
      expect(Number(packed.headers['content-length'])).toBeLessThanOrEqual(30_000)
      const script = (encoding === 'gzip' ? gunzipSync : brotliDecompressSync)(packed.rawPayload)
      expect(script.toString('utf8')).toBe(plain.body)
    }
  })

  test('files that were not built answer how to build them, and the log says so at the start', async () => {
    const service = await startForTest(database())
    for (const path of ['/dashboard', '/dashboard/runtimes', '/dashboard/assets/app.js', '/widget.js']) {
      const answer = await service.send('GET', path)
      expect([path, answer.statusCode, answer.headers['content-type']]).toEqual([
        path,
        404,
        'text/plain; charset=utf-8',
      ])
      expect(answer.body).toContain('npm run build')
    }
    expect(missingWebFiles(NO_WEB_FILES)).toHaveLength(3)
    expect(missingWebFiles({ dashboard: '/a', widget: '/b', cards: PAGE })).toEqual([])
  })
})

const PAGE = '<!doctype html><title>svc</title>'
const SCRIPT = 'console.log(1)'

function built(): WebFiles {
  const folder = mkdtempSync(join(tmpdir(), 'svc-web-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const dashboard = join(folder, 'app')
  mkdirSync(join(dashboard, 'assets'), { recursive: true })
  mkdirSync(join(dashboard, '.vite'))
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(dashboard, '.vite', 'manifest.json'), '{}')
  writeFileSync(join(dashboard, 'index.html'), PAGE)
  writeFileSync(join(dashboard, 'assets', 'app-1a2b3c.js'), SCRIPT)
  writeFileSync(join(dashboard, 'assets', 'app-1a2b3c.js.br'), 'packed')
  writeFileSync(join(folder, 'widget.js'), SCRIPT)
  return { dashboard, widget: join(folder, 'widget.js'), cards: null }
}
