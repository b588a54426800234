import { createSocket } from 'node:dgram'
import { onTestFinished } from 'vitest'

/** Answers every question for an address with these, as the name server of a container network does. Gives its port. */
export async function startNameServer(addresses: readonly string[]): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, addresses), port, address))
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void socket.close())
  return socket.address().port
}

const HEADER_BYTES = 12
const ADDRESS_TYPE = 1

function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = query.indexOf(0, HEADER_BYTES)
  const question = query.subarray(HEADER_BYTES, nameEnd + 5)
  const known = query.readUInt16BE(nameEnd + 1) === ADDRESS_TYPE ? addresses : []
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  // A response, to a question that wished recursion; one question, and so many answers.
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(known.length, 6)
  return Buffer.concat([header, question, ...known.map(recordOf)])
}

// The name by reference to the question, one second to live.
function recordOf(address: string): Buffer {
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, ADDRESS_TYPE, 0, 1, 0, 0, 0, 1, 0, 4])
  return Buffer.concat([record, Buffer.from(address.split('.').map(Number))])
}
