import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { Stop } from '../../src/lib/stop-signal.ts'
import { createPost, type ProviderResponse } from '../../src/model/chat-completions/post.ts'

const closes: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closes.splice(0).map((close) => close()))
})

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await listenOnFreePort(createServer(listener))
  closes.push(close)
  return url
}

const outgoing = { headers: { authorization: 'Bearer k', 'content-type': 'application/json' }, body: '{"a":1}' }

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

async function told({ method, url, headers }: IncomingMessage, body: string): Promise<string> {
  return JSON.stringify({ method, url, authorization: headers.authorization, body })
}

function post(url: string, signal = new Stop()): Promise<ProviderResponse> {
  return createPost()(new URL(url), outgoing, signal)
}

describe('a post to a provider', () => {
  test('sends method, path, headers and body, and returns status, headers and body', async () => {
    const url = await serve(async (message, response) => {
      response.writeHead(418, 'Teapot', { 'X-Two': ['a', 'b'] }).end(await told(message, await textOf(message)))
    })
    const answer = await post(`${url}/v1/chat?x=1`)
    expect(answer).toMatchObject({ statusCode: 418, statusText: 'Teapot' })
    expect(answer.headers['x-two']).toBe('a, b')
    expect(JSON.parse(await textOf(answer.body))).toEqual({
      method: 'POST',
      url: '/v1/chat?x=1',
      authorization: 'Bearer k',
      body: '{"a":1}',
    })
  })

  test('follows a redirection with its body, and with its key only to the same origin', async () => {
    const elsewhere = await serve(async (message, response) => {
      response.end(await told(message, await textOf(message)))
    })
    const url = await serve(async (message, response) => {
      if (message.url === '/far') response.writeHead(307, { location: `${elsewhere}/there` }).end('moved')
      else if (message.url === '/near') response.writeHead(308, { location: '/here' }).end('moved')
      else response.end(await told(message, await textOf(message)))
    })
    expect(JSON.parse(await textOf((await post(`${url}/near`)).body))).toMatchObject({
      url: '/here',
      authorization: 'Bearer k',
      body: '{"a":1}',
    })
    const far = JSON.parse(await textOf((await post(`${url}/far`)).body))
    expect(far).toEqual({ method: 'POST', url: '/there', body: '{"a":1}' })
  })

  test('without a server rejects with the reason', async () => {
    const { url, close } = await listenOnFreePort(createServer())
    await close()
    await expect(post(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('rejects when it is stopped before the head, and breaks off when it is stopped within the body', async () => {
    const stop = new Stop()
    const silent = await serve(() => stop.abort())
    await expect(post(silent, stop)).rejects.toThrow('stopped')
    const within = new Stop()
    const talking = await serve((_, response) => response.write('half'))
    const answer = await post(talking, within)
    const reading = textOf(answer.body)
    within.abort()
    await expect(reading).rejects.toThrow('aborted')
  })
})
