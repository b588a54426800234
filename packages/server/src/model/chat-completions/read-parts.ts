import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { EmitParts } from '../turn-source.ts'
import { TurnReader } from './turn-reader.ts'

/** Emits the parts of a body as its chunks arrive. By events: `for await` takes several times as long for each chunk. */
export function readParts(body: Readable, emit: EmitParts): Promise<void> {
  const decoder = new StringDecoder('utf8')
  const reader = new TurnReader()
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      // A destroyed body still emits its buffered chunks.
      body.off('data', onChunk)
      body.destroy()
      reject(error)
    }
    const resumeOrEnd = (wantsMore: boolean) => {
      if (wantsMore) return void body.resume()
      body.destroy()
      resolve()
    }
    const readChunk = (chunk: Buffer) => {
      reader.feed(decoder.write(chunk))
      const parts = reader.nextParts()
      const wantsMore = parts.length === 0 || emit(parts)
      if (wantsMore === true) return
      body.pause()
      Promise.resolve(wantsMore).then(resumeOrEnd, fail)
    }
    const onEnd = () => {
      reader.end()
      Promise.resolve(emit(reader.nextParts())).then(() => resolve(), reject)
    }
    const orFail =
      <T>(handle: (value: T) => void) =>
      (value: T) => {
        try {
          handle(value)
        } catch (error) {
          fail(error)
        }
      }
    const onChunk = orFail(readChunk)
    body.on('data', onChunk).once('end', orFail(onEnd)).on('error', reject)
  })
}
