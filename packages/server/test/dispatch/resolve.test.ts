import { createSocket } from 'node:dgram'
import { expect, onTestFinished, test } from 'vitest'
import { createResolve } from '../../src/dispatch/resolve.ts'

const A = 1
const AAAA = 28
const NXDOMAIN = 3

type Zone = Readonly<Record<string, { [A]?: readonly number[][]; [AAAA]?: readonly number[][] }>>

const ZONE: Zone = {
  'both.example': {
    [A]: [[93, 184, 216, 34]],
    [AAAA]: [[0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]],
  },
  'v4.example': {
    [A]: [
      [93, 184, 216, 34],
      [10, 0, 0, 5],
    ],
  },
  'v6.example': { [AAAA]: [[0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]] },
  'empty.example': {},
}

/** A name server of a few lines: one question, answers from the zone. Resolves to its address. */
async function startNameServer(): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => socket.send(answerTo(query), from.port, from.address))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function answerTo(query: Buffer): Buffer {
  const { name, end } = readName(query)
  const kind = query.readUInt16BE(end)
  const records = ZONE[name] && kind === A ? (ZONE[name][A] ?? []) : (ZONE[name]?.[AAAA] ?? [])
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (ZONE[name] ? 0 : NXDOMAIN), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  const question = query.subarray(12, end + 4)
  const answers = records.map((address) => {
    const prefix = [0xc0, 0x0c, 0, kind, 0, 1, 0, 0, 0, 0, 0, address.length]
    return Buffer.from([...prefix, ...address])
  })
  return Buffer.concat([head, question, ...answers])
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}

test('all addresses of both kinds are found', async () => {
  const resolve = createResolve([await startNameServer()])
  expect(await resolve('both.example')).toEqual(['93.184.216.34', '2606:4700::1111'])
  expect(await resolve('v4.example')).toEqual(['93.184.216.34', '10.0.0.5'])
})

test('a name with addresses of one kind only is found', async () => {
  const resolve = createResolve([await startNameServer()])
  expect(await resolve('v6.example')).toEqual(['2606:4700::1111'])
})

test('a name that does not exist, or has no address, is refused', async () => {
  const resolve = createResolve([await startNameServer()])
  await expect(resolve('nothing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  await expect(resolve('empty.example')).rejects.toMatchObject({ code: 'ENODATA' })
})
