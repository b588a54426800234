import type { CreatedRuntime } from '@svc/contract'
import type { LeanEndpoint } from '../support/lean-endpoint.ts'
import { RawConnection, type RawHeard } from '../support/raw-connection.ts'
import { asBytes, jsonRequest, type RawRequest, toBytes } from '../support/raw-request.ts'
import type { Stage } from '../support/stage.ts'
import { LINE_ENDS, MARK, PLACES, type Place } from './injections.ts'

export interface InjectionNotes {
  tried: number
  /** Answers and calls in which a value got out of its place, and answers that are a fault of the server's. */
  faults: string[]
}

/** Puts line ends into everything that may become a header, a line of the log, or a call to the owner. */
export async function injectLineEnds(stage: Stage, runtime: CreatedRuntime): Promise<InjectionNotes> {
  const notes: InjectionNotes = { tried: 0, faults: [] }
  for (const place of PLACES) {
    for (const value of LINE_ENDS) {
      const faults = faultsOf(await send(stage, toBytes(requestWith(stage, runtime, place, value))), stage.endpoint)
      notes.tried += 1
      notes.faults.push(...faults.map((fault) => `${place.name}, ${JSON.stringify(value)}: ${fault}`))
    }
  }
  return notes
}

function requestWith(stage: Stage, runtime: CreatedRuntime, place: Place, value: string): RawRequest {
  const keys = { owner: stage.owner.apiKey, deploy: runtime.deployKey, public: runtime.publicKey, none: undefined }
  const key = keys[place.key]
  return jsonRequest(place.method, place.path(runtime), {
    ...(key === undefined ? {} : { key }),
    body: place.body(value),
    headers: place.header === undefined ? [] : [[place.header, asBytes(value)]],
  })
}

async function send({ server, endpoint }: Stage, bytes: Buffer): Promise<RawHeard> {
  endpoint.lastCall = null
  const connection = new RawConnection(server.port)
  const heard = await connection.exchange(bytes)
  connection.destroy()
  return heard
}

/** A request that itself holds a line end in a header has two of them, which is the caller's own affair. */
function faultsOf(heard: RawHeard, { lastCall }: LeanEndpoint): string[] {
  if (heard.kind !== 'answer') return [heard.kind]
  const { status, headers } = heard.answer
  const passedOn = MARK in (lastCall?.headers ?? {})
  return [
    ...(status >= 500 && status !== 502 ? [`answered ${status}`] : []),
    ...(headers.has(MARK) ? ['the answer has a header of the caller’s'] : []),
    ...(passedOn ? ['the call to the owner has a header of the caller’s'] : []),
  ]
}

/** Lines of the log that are no JSON, or are headed by what a caller sent. */
export function brokenLogLines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !isLogLine(line))
}

function isLogLine(line: string): boolean {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null && !(MARK in parsed)
  } catch {
    return false
  }
}
