import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { TakeParts } from '../turn-source.ts'
import { TurnReader } from './turn-reader.ts'

/** Reads the parts of a body as its pieces come: iterating over a stream would take several times as long for each. */
export function readParts(body: Readable, take: TakeParts): Promise<void> {
  const decoder = new StringDecoder('utf8')
  const reader = new TurnReader()
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      // A destroyed body still emits the pieces that it holds.
      body.off('data', onPiece)
      body.destroy()
      reject(error)
    }
    const goOn = (isWanted: boolean) => {
      if (isWanted) return void body.resume()
      body.destroy()
      resolve()
    }
    const onData = (piece: Buffer) => {
      reader.feed(decoder.write(piece))
      const parts = reader.take()
      const taken = parts.length === 0 || take(parts)
      if (taken === true) return
      body.pause()
      Promise.resolve(taken).then(goOn, fail)
    }
    const onEnd = () => {
      reader.end()
      Promise.resolve(take(reader.take())).then(() => resolve(), reject)
    }
    const orFail =
      <T>(on: (piece: T) => void) =>
      (piece: T) => {
        try {
          on(piece)
        } catch (error) {
          fail(error)
        }
      }
    const onPiece = orFail(onData)
    body.on('data', onPiece).once('end', orFail(onEnd)).on('error', reject)
  })
}
